/**
 * What the server's commands take and answer. Each takes one object; every
 * field is optional. Names are those of the server, in docs/lsp.md.
 */

import type { Position, Range } from 'vscode-languageclient/node';
import type { Standing } from './explorer/protocol';

export const Commands = {
	find: 'hocket.find',
	from: 'hocket.from',
	dump: 'hocket.dump',
	replay: 'hocket.replay',
	explain: 'hocket.explain',
	fix: 'hocket.fix',
	applyFix: 'hocket.applyFix',
	cancel: 'hocket.cancel',
	list: 'hocket.list',
	choose: 'hocket.choose',
	debug: 'hocket.debug',
} as const;

export interface FindArgs {
	uri?: string;
	entry?: string;
	position?: Position;
	pattern?: string;
	budget?: string;
	show?: boolean;
	wait?: boolean;
}

export interface FindingArgs {
	id?: string;
	/** Where debugging begins: a step of the failing run. */
	step?: number;
	uri?: string;
	position?: Position;
	show?: boolean;
	wait?: boolean;
}

/** Something that can be done now; those about one finding follow each other. */
export interface Choice {
	title: string;
	/** The finding in a few words, unlike any other's; empty if it is about none. */
	about: string;
	/** What is to be known of the finding, such as "changed since found". */
	state: string;
	id: string;
	command: string;
	arguments: unknown[];
}

export interface ChooseAnswer {
	/** One line for users. */
	title: string;
	choices: Choice[];
}

/** The answer of a search or a replay, as far as this client looks at it. */
export interface Outcome {
	/** "failing", "searched", ... of a search; absent in a replay's answer. */
	status?: string;
	/** One line for users. */
	message?: string;
	/** Ids of the findings of a search. */
	findings?: string[];
	/** The finding of a replay. */
	id?: string;
}

export interface FindingItem {
	id: string;
	entry: string;
	package: string;
	kind: string;
	class?: string;
	headline: string;
	/** What fails, in a few words. */
	brief: string;
	/** What is to be known of it beside that, such as "changed since found". */
	about: string;
	stands: Standing;
	/** Whether the text is still that in which it was found. */
	state: 'current' | 'changed' | 'older' | 'fixed';
	replay?: { runs: number; failed: number };
	level?: string;
	location?: { uri: string; range: Range };
}

/** How to debug a finding: the adapter, and the configuration of the session. */
export interface DebugAnswer {
	id: string;
	adapter: { command: string; args: string[]; cwd: string; env: Record<string, string> };
	configuration: { type: string; request: string; name: string; id: string; cwd: string };
}

/** A test of which a search of today's text found no failure. */
export interface VerdictItem {
	entry: string;
	package: string;
	stands: Standing;
	line: string;
	message: string;
	location?: { uri: string; range: Range };
}

export interface JobItem {
	id: string;
	title: string;
	state: 'running' | 'queued';
}

export interface ListAnswer {
	findings?: FindingItem[];
	verdicts?: VerdictItem[];
	jobs?: JobItem[];
}
