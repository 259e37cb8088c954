package fakeserver

import (
	"encoding/json"
	"fmt"
)

// asked has the rounds of a request that was answered with questions.
type asked struct{ rounds []round }

// round is what a client came back with.
type round struct {
	InputResponses json.RawMessage `json:"inputResponses,omitempty"`
	RequestState   *string         `json:"requestState,omitempty"`
}

// askInputs answers with `input_required` until the rounds are over (MCP 2026-07-28, Multi
// Round-Trip Requests). With a state it fails for a requestState that it did not issue, so
// that a client cannot change one unnoticed.
func askInputs(s *server, a args, m message) outcome {
	var came round
	if err := json.Unmarshal(m.Params, &came); err != nil {
		return failure(-32602, err.Error())
	}
	var sofar asked
	if came.RequestState != nil {
		s.mu.Lock()
		known, ok := s.asked[*came.RequestState]
		delete(s.asked, *came.RequestState)
		s.mu.Unlock()
		if !ok {
			return failure(-32602, fmt.Sprintf("the requestState %q was not issued", *came.RequestState))
		}
		sofar = known
	}
	if came.RequestState != nil || came.InputResponses != nil {
		sofar.rounds = append(sofar.rounds, came)
	}
	if len(sofar.rounds) >= max(1, a.Rounds) {
		return outcome{result: object("rounds", sofar.rounds)}
	}
	result := map[string]any{"resultType": "input_required"}
	if a.ResultType != "" {
		result["resultType"] = a.ResultType
	}
	if a.Inputs != nil {
		result["inputRequests"] = a.Inputs
	}
	if a.State != nil {
		s.mu.Lock()
		s.lastID++
		state := fmt.Sprintf("%s %d", *a.State, s.lastID)
		s.asked[state] = sofar
		s.mu.Unlock()
		result["requestState"] = state
	}
	return outcome{result: raw(result), whole: true}
}
