package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// runClock is a server that asks for its roots once it is initialized, and again whenever they
// have changed. It appends a line to the file in BENCH_CLOCK for everything that it is told:
//
//	initialized TIME
//	changed TIME            roots/list_changed has arrived
//	roots TIME COUNT BYTES  the answer to roots/list has arrived
//
// TIME is the wall clock in nanoseconds since 1970. Both ends of a measurement run on one
// machine within seconds, and the program that measures drops what a set clock would spoil.
func runClock() error {
	record, err := os.OpenFile(os.Getenv("BENCH_CLOCK"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer record.Close()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	asked := 0
	ask := func() {
		asked++
		fmt.Printf(`{"jsonrpc":"2.0","id":"roots-%d","method":"roots/list"}`+"\n", asked)
	}
	for {
		message, err := in.ReadBytes('\n')
		if err != nil {
			return nil // the end of standard input
		}
		now := time.Now().UnixNano()
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(message, &m); err != nil {
			return err
		}
		switch {
		case m.Method == "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"clock","version":"1"}}}`+"\n", m.ID)
		case m.Method == "notifications/initialized":
			fmt.Fprintf(record, "initialized %d\n", now)
			ask()
		case m.Method == "notifications/roots/list_changed":
			fmt.Fprintf(record, "changed %d\n", now)
			ask()
		case m.Method == "":
			fmt.Fprintf(record, "roots %d %d %d\n", now, bytes.Count(message, []byte(`"uri":`)), len(message))
		case m.ID != nil:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", m.ID)
		}
	}
}
