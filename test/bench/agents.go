package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The figures of agents that start.
const (
	agentFirst = "30 servers, 3 dead and 2 slow: an agent's first start ever to its list"
	agentWarm  = "30 servers, 3 dead and 2 slow: an agent's start to its list"
	agentCold  = "30 servers, 3 dead and 2 slow: the same with no daemon"
)

// The servers of an agent with much configured. Together they have 600 tools.
const (
	manyServers = 30
	deadServers = 3
	slowServers = 2
	manyTools   = 600

	slowStart = 3 * time.Second // after which a slow server has failed
)

// agents measures agents: one with many servers, and hundreds at once.
func agents(ctx context.Context, p programs, d *Data) error {
	err := agentOfMany(ctx, p, d)
	if d.Quick {
		return err
	}
	return errors.Join(err, crowd(ctx, p, d))
}

// agentOfMany measures how long an agent waits for the tools of many servers.
func agentOfMany(ctx context.Context, p programs, d *Data) error {
	servers := map[string]definition{}
	for i := range manyServers {
		tools := manyTools / (manyServers - deadServers - slowServers)
		def := definition{"command": p.server, "args": []string{"-bare", fmt.Sprint(tools)}}
		switch {
		case i < deadServers:
			def = definition{"command": "false"}
		case i < deadServers+slowServers:
			def = definition{"command": "sleep", "args": []string{"3600"}, "startTimeout": slowStart.String()}
		}
		servers[fmt.Sprintf("server%02d", i)] = def
	}
	return inPlace(p.daemon, servers, func(place *place) error {
		folder, err := place.repository("repository")
		if err != nil {
			return err
		}
		once := func() (float64, error) {
			a, err := place.agent(folder)
			if err != nil {
				return 0, err
			}
			if a.tools != manyTools {
				err = fmt.Errorf("an agent has %d tools of %d", a.tools, manyTools)
			}
			return millis(a.listed), errors.Join(err, a.close())
		}
		first, err := once()
		if err != nil {
			return err
		}
		d.add(agentFirst, "ms", first).Note = "waits up to 8 s for servers that nobody has seen"
		pause(ctx, slowStart+settle) // now all are known, or known to fail
		var warm, cold []float64
		for range 20 {
			took, err := once()
			if err != nil {
				return err
			}
			warm = append(warm, took)
		}
		for range 10 {
			if err := place.stop(); err != nil {
				return err
			}
			took, err := once()
			if err != nil {
				return err
			}
			cold = append(cold, took)
		}
		d.add(agentWarm, "ms", warm...)
		d.add(agentCold, "ms", cold...)
		return nil
	})
}

// addSpread adds the samples of many that ran at the same time, and of them the 95th of a hundred and the
// slowest.
func (d *Data) addSpread(name, unit string, samples []float64) {
	if len(samples) == 0 {
		d.skip(name, unit, "none came to its end")
		return
	}
	f := d.add(name, unit, samples...)
	sorted := slices.Sorted(slices.Values(f.Samples))
	d.add(name+", 95 of 100 within", unit, quantile(sorted, 0.95))
	d.add(name+", slowest", unit, quantile(sorted, 1))
}
