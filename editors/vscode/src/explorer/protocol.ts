/**
 * Tests and findings as the server lists them; docs/lsp-extensions.md has the shapes.
 */

import type { Range } from 'vscode-languageclient/node';

export const ExplorerCommands = {
	tests: 'hocket.tests',
	forget: 'hocket.forget',
} as const;

/** The notification that a list has changed; it has no content. */
export const changedMethod = 'hocket/changed';

/** How a test or a finding stands in today's text, "" if nothing is known. */
export type Standing = '' | 'failing' | 'changed' | 'proved' | 'searched' | 'fixed' | 'older';

export interface TestsAnswer {
	modules: TestedModule[];
}

export interface TestedModule {
	/** Of its folder. */
	uri: string;
	name: string;
	packages: TestedPackage[];
}

export interface TestedPackage {
	uri: string;
	name: string;
	/** Below the module's folder, "." for that itself. */
	dir: string;
	/** Only of a package that was asked for. */
	tests?: TestedEntry[];
}

export interface TestedEntry {
	name: string;
	kind: 'test' | 'example' | 'fuzz' | 'main';
	uri: string;
	/** The line that it starts on. */
	range: Range;
	stands: Standing;
	/** The same in a few words. */
	line: string;
	findings: string[];
	job: string;
}

export interface ForgetAnswer {
	forgotten: string[];
	kept: string[];
	message: string;
}

/** What a search prints, as far as this client looks at it. */
export interface Report {
	targets?: { package: string; entry: string; status: string; error?: string; note?: string; searched?: { attempts: number } }[];
	findings?: { id: string; package: string; entry: string; kind: string; message: string; sentence?: string }[];
}
