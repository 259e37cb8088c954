package main

import "errors"

func writeDocument(string, *Data) error { return errors.New("-write: nothing is written yet") }
