package main

import (
	"github.com/hocket-dev/hocket/engine"
)

// The part of SARIF 2.1.0 that hints need. Names are the standard's.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                   `json:"tool"`
		ColumnKind  string                      `json:"columnKind"`
		BaseIDs     map[string]sarifDescription `json:"originalUriBaseIds"`
		Results     []sarifResult               `json:"results"`
		Invocations []sarifInvocation           `json:"invocations"`
	}
	sarifDescription struct {
		Description sarifText `json:"description"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string     `json:"id"`
		Short   sarifText  `json:"shortDescription"`
		Full    sarifText  `json:"fullDescription"`
		Default sarifLevel `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations"`
		Rank      float64         `json:"rank"` // 0 to 100
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndColumn   int `json:"endColumn"`
	}
	sarifInvocation struct {
		OK            bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
)

// sarifOf is the report as a SARIF log: a rule for each kind of pair.
func sarifOf(rep *engine.ConflictReport) sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		BaseIDs: map[string]sarifDescription{"SRCROOT": {sarifText{"The root of the Go module."}}},
		Tool: sarifTool{sarifDriver{Name: "hocket", Version: engine.Version(),
			InformationURI: "https://github.com/hocket-dev/hocket", Rules: []sarifRule{}}}}
	index := map[string]int{}
	for i, k := range engine.ConflictKinds() {
		index[string(k.Kind)] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: string(k.Kind),
			Short: sarifText{k.Title}, Full: sarifText{k.Text}, Default: sarifLevel{"note"}})
	}
	shown, _ := rep.Suspicious()
	for _, p := range shown {
		a, b := p.Sides[0], p.Sides[1]
		r := sarifResult{RuleID: string(p.Kind), RuleIndex: index[string(p.Kind)], Level: "note", Rank: 100 * p.Score,
			Message: sarifText{sentence(p)}, Locations: []sarifLocation{sarifAt(a, 0)}, Related: []sarifLocation{sarifAt(b, 1)}}
		if p.Then != nil {
			r.Related = append(r.Related, sarifAt(*p.Then, 2))
		}
		run.Results = append(run.Results, r)
	}
	inv := sarifInvocation{OK: true, Notifications: []sarifNotification{}}
	for _, e := range rep.Errors {
		inv.Notifications = append(inv.Notifications, sarifNotification{"warning", sarifText{e}})
	}
	if rep.Cut != nil {
		inv.Notifications = append(inv.Notifications, sarifNotification{"note", sarifText{rep.Cut.Words()}})
	}
	run.Invocations = []sarifInvocation{inv}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func sarifAt(s engine.ConflictSide, id int) sarifLocation {
	l := sarifLocation{ID: id, Physical: sarifPhysical{Artifact: sarifArtifact{s.File, "SRCROOT"},
		Region: sarifRegion{s.Line, s.PointColumn, s.PointEndColumn}}}
	if id > 0 {
		l.Message = &sarifText{s.Op + ", " + s.Goroutine}
	}
	return l
}
