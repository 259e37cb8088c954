package fswatch

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// Fault folder-gone: inotify does not report a mount over a directory, and silently drops its
// watches when it is unmounted.
func TestMounts(t *testing.T) {
	x := newTree(t)
	x.mkdir("d/below")
	h, _ := realHub(t)
	_, told := x.watch(h, "d")
	if err := unix.Mount("tmpfs", x.at("d"), "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("this user may not mount:", err)
	}
	defer func() { _ = unix.Unmount(x.at("d"), unix.MNT_DETACH) }() // after a failure
	told.await(t, "mounted", func() bool { return x.see("d") == "dir" })
	x.mkdir("d/in")
	told.await(t, "a change in what is mounted", func() bool { return x.see("d") == "dir in" })
	x.must(unix.Unmount(x.at("d"), 0))
	told.await(t, "unmounted", func() bool { return x.see("d") == "dir below" })
	x.mkdir("d/more")
	told.await(t, "a change below", func() bool { return x.see("d") == "dir below more" })
}

// A mount elsewhere costs those nothing who look here.
func TestMountsElsewhere(t *testing.T) {
	before := map[string]string{"1": "/", "2": "/a b", "3": "/c"}
	for _, tt := range []struct {
		name string
		now  map[string]string
		want []string
	}{
		{"nothing", map[string]string{"1": "/", "2": "/a b", "3": "/c"}, nil},
		{"one more", map[string]string{"1": "/", "2": "/a b", "3": "/c", "4": "/d"}, []string{"/d"}},
		{"one less", map[string]string{"1": "/", "3": "/c"}, []string{"/a b"}},
		{"another in its place", map[string]string{"1": "/", "2": "/a b", "4": "/c"}, []string{"/c"}},
		{"no table", nil, []string{"/"}},
	} {
		if got := differentMounts(before, tt.now); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the mounts have changed at %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := unescapeMount(`/a\040b\134\011c\`); got != "/a b\\\tc\\" {
		t.Errorf("a path is %q", got)
	}

	x := newTree(t)
	x.mkdir("d/e")
	x.mkdir("de")
	var mounted func([]string)
	h, _ := hubWith(t, newFake(), func(env *environment) {
		env.watchMounts = func(changed func([]string)) func() { mounted = changed; return func() {} }
	})
	fs, told := foldersOn(t, h, x.base, x.at("d"), x.at("d/e"), x.at("de"))
	mounted([]string{x.at("elsewhere"), x.at("d")})
	told.await(t, "the mount", always)
	hints := fs.Take()
	if len(hints.Folders) != 2 || !hints.Folders[x.at("d")] || !hints.Folders[x.at("d/e")] || hints.All {
		t.Errorf("the hints are %+v", hints)
	}
}
