/**
 * Concurrent breakpoints as the server tells them; docs/lsp.md has the shapes.
 */

import type { Position, Range } from 'vscode-languageclient/node';
import type { DebugAnswer, Outcome } from '../protocol';

export const BreakCommands = {
	set: 'hocket.break.set',
	pair: 'hocket.break.pair',
	edit: 'hocket.break.edit',
	remove: 'hocket.break.remove',
	run: 'hocket.break.run',
	debug: 'hocket.break.debug',
	fromFinding: 'hocket.break.fromFinding',
	conflicts: 'hocket.conflicts',
} as const;

/** The notification with all concurrent breakpoints of a module. */
export const breakpointsMethod = 'hocket/breakpoints';

export interface Place {
	uri: string;
	position: Position;
}

export interface Module {
	root: string;
	breakpoints: Break[];
	/** A first place that waits for the second one. */
	pending?: Pending;
	/** Why the breakpoints file can't be read, or "". */
	problem?: string;
}

export interface Break {
	id: string;
	kind: string;
	if: string;
	/** Sides in the order of their release. */
	order: number[];
	timeout: string;
	off: boolean;
	note: string;
	sides: Side[];
	last?: { runs: number; hits: number; failed: number; when: string };
	/** Markdown. */
	hover: string;
}

export interface Side {
	uri: string;
	range: Range;
	/** From 1, as t1 in conditions. */
	side: number;
	of: number;
	/** Its place in the order of release, from 1. */
	order: number;
	/** The function that the place is in. */
	label: string;
	/** Why the statement can't be found, or "". */
	lost: string;
	text: string;
}

export interface Pending {
	uri: string;
	range: Range;
	text: string;
}

export interface Candidate {
	uri: string;
	range: Range;
	label: string;
	detail?: string;
	kind?: string;
}

export interface SetAnswer extends Outcome {
	pending: Pending;
	candidates?: Candidate[];
	/** Why there are no candidates. */
	note?: string;
}

/** A breakpoint that was set or changed, with one line for users. */
export interface BreakAnswer extends Outcome {
	sides?: { file?: string; line?: number }[];
}

export interface EditArgs {
	id: string;
	uri?: string;
	if?: string;
	order?: number[];
	timeout?: string;
	off?: boolean;
}

/** The answer of runs, as far as this client looks at it. */
export interface RunAnswer extends Outcome {
	runs?: number;
	hits?: number;
	failed?: number;
	/** What one of the failing runs printed. */
	output?: string;
}

export interface ConflictSide {
	uri: string;
	range: Range;
	label: string;
	detail?: string;
}

export interface ConflictsAnswer extends Outcome {
	pairs?: { kind: string; what: string; why: string; sides: ConflictSide[] }[];
	note?: string;
}

/** Of a debug that was cancelled there is no adapter. */
export type BreakDebugAnswer = Outcome & DebugAnswer;
