// Package editfile changes configuration files that people and other programs write.
//
// Invariants:
//
//   - What is not changed stays byte for byte: comments, order, layout, the ends of lines.
//   - A file is replaced as a whole or left as it was. Its mode and a symbolic link to it stay.
//   - A file that cannot be read as what it should be is left alone, and the error quotes nothing of it: that may be a
//     secret.
package editfile
