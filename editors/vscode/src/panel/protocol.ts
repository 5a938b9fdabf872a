/**
 * The two runs of a finding step by step, as the server tells them;
 * docs/lsp-extensions.md has the shapes.
 */

import type { Location } from 'vscode-languageclient/node';

export const PanelCommands = {
	schedule: 'hocket.schedule',
	whatIf: 'hocket.whatIf',
} as const;

export type Run = 'failing' | 'passing';

export interface Step {
	number: number;
	/** A fold: the number of its last step. */
	until?: number;
	row?: number;
	goroutine: string;
	lane: number;
	file: string;
	line: number;
	code: string;
	happens: string;
	other?: string;
	differs: boolean;
	role?: string;
	from?: number;
	twin?: number;
	/** The switch just before it. */
	switch?: number;
	/** In the text of today; absent for folds, and for lines that are gone. */
	location?: Location;
	elsewhere?: { goroutine: string; location: Location }[];
}

export interface Switch {
	number: number;
	from: string;
	to: string;
	preempt: boolean;
	after: number;
	before: number;
	runs?: number;
	failed?: number;
	words: string;
}

export interface Order {
	number: number;
	before: number;
	after: number;
}

export interface Unfolded {
	run: Run;
	from: number;
	to: number;
}

export interface Schedule {
	id: string;
	entry: string;
	title: string;
	sentence: string;
	must: string;
	state: string;
	note: string;
	lanes: string[];
	failing: Step[];
	passing: Step[];
	switches: Switch[];
	orders: Order[];
	steps: { failing: number; passing: number };
	/** A picture with classes and no colours. */
	svg: string;
	markdown: string;
}

export interface WhatIf {
	status?: string;
	without: string;
	runs: number;
	failed: number;
	orders: number;
	message?: string;
	note?: string;
}
