/**
 * Where the hocket command is. Looking does not run anything.
 */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** The oldest server that this extension talks to. */
export const oldestServer = '0.1.0';

/** What go install is given. */
export const installTarget = 'github.com/hocket-dev/hocket/cmd/hocket@latest';

export class NotFound extends Error {}

/** The absolute path of the command that the setting names. */
export function locate(): string {
	const set = vscode.workspace.getConfiguration('hocket').get<string>('path')?.trim() || 'hocket';
	const name = expand(set);
	if (/[\\/]/.test(name)) {
		if (path.isAbsolute(name) && isCommand(name)) return name;
		throw new NotFound(`hocket.path is ${set}, where there is no command`);
	}
	for (const dir of folders()) {
		const file = path.join(dir, name);
		if (isCommand(file)) return file;
	}
	throw new NotFound(`the command ${name} is neither in PATH nor where go install puts commands`);
}

function expand(set: string): string {
	const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
	return set.replace('${workspaceFolder}', root).replace(/^~(?=[\\/])/, os.homedir());
}

/** An editor started from a desktop often has a PATH without Go's folders. */
function folders(): string[] {
	const list = (process.env['PATH'] ?? '').split(path.delimiter);
	if (process.env['GOBIN']) list.push(process.env['GOBIN']);
	for (const dir of (process.env['GOPATH'] ?? '').split(path.delimiter)) {
		if (dir) list.push(path.join(dir, 'bin'));
	}
	list.push(path.join(os.homedir(), 'go', 'bin'));
	return list.filter((dir) => path.isAbsolute(dir));
}

/**
 * The environment of the server. Where no go command is in PATH, the places of
 * Go's own installers are added: an editor started from a desktop may not know
 * what a shell's start-up files say.
 */
export function environment(): NodeJS.ProcessEnv {
	const known = process.env['PATH'] ?? '';
	const go = process.platform === 'win32' ? 'go.exe' : 'go';
	const has = (dir: string) => path.isAbsolute(dir) && isCommand(path.join(dir, go));
	if (known.split(path.delimiter).some(has)) return { ...process.env };
	const root = process.env['GOROOT'];
	const more = [root ? path.join(root, 'bin') : '', '/usr/local/go/bin', '/opt/homebrew/bin', '/usr/local/bin'].filter(has);
	return { ...process.env, PATH: [known, ...more].join(path.delimiter) };
}

/** Whether a file is there that can be run. */
export function isCommand(file: string): boolean {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}

/**
 * Whether a server's version is older than the oldest that is supported.
 * Builds that are not releases, "(devel)", are taken as new.
 */
export function tooOld(version: string | undefined): boolean {
	const have = numbers(version);
	const want = numbers(oldestServer);
	if (!have || !want) return false;
	for (let i = 0; i < 3; i++) {
		if (have[i] !== want[i]) return have[i]! < want[i]!;
	}
	return false;
}

function numbers(version: string | undefined): number[] | undefined {
	const m = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
	return m?.slice(1).map(Number);
}
