package secrets

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/godbus/dbus/v5"
	ss "github.com/zalando/go-keyring/secret_service"
)

// partBytes is more than a value has: the Secret Service has no limit.
const partBytes = maxValue + 2

const secretService = "org.freedesktop.secrets" // its name on the bus

// A sessionBus is the way to the Secret Service: the session bus.
type sessionBus struct {
	owner atomic.Pointer[string] // who on the bus was the Secret Service when look looked last
}

func systemBus() bus { return &sessionBus{} }

// look tells whether the Secret Service can be used, and with ask also whether it can be started. It
// never starts a bus.
func (b *sessionBus) look(ask bool) error {
	// Without a bus the library would run dbus-launch, which starts one that nobody ends.
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return noBus
	}
	_ = conn.Close()
	service, err := ss.NewSecretService()
	if err != nil {
		return noBus
	}
	owner, err := ownerOf(context.Background(), service.Conn)
	if err == nil && owner == "" && ask {
		if err := service.BusObject().Call("org.freedesktop.DBus.StartServiceByName", 0, secretService, uint32(0)).Err; err != nil {
			return noKeyring
		}
		owner, err = ownerOf(context.Background(), service.Conn)
	}
	if err != nil {
		return err
	}
	if owner == "" {
		return noKeyring
	}
	b.owner.Store(&owner)
	if ask {
		return nil
	}
	locked, err := service.GetLoginCollection().GetProperty("org.freedesktop.Secret.Collection.Locked")
	if err != nil {
		return err
	}
	if is, ok := locked.Value().(bool); !ok || is {
		return keyringLocked
	}
	return nil
}

// abandon closes the connection when the Secret Service that was asked is no longer there. The library
// waits forever for what its window comes to, unless the connection ends.
func (b *sessionBus) abandon() {
	asked := b.owner.Load()
	if asked == nil {
		return
	}
	conn, err := dbus.SessionBus() // that of the library
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if owner, err := ownerOf(ctx, conn); err == nil && owner != *asked {
		_ = conn.Close()
	}
}

// ownerOf returns who is the Secret Service; "" when nobody is.
func ownerOf(ctx context.Context, conn *dbus.Conn) (owner string, err error) {
	err = conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, secretService).Store(&owner)
	if failed, ok := errors.AsType[dbus.Error](err); ok && failed.Name == "org.freedesktop.DBus.Error.NameHasNoOwner" {
		return "", nil
	}
	return owner, err
}
