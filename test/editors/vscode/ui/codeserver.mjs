// A code-server with a fresh state of its own, on a free port.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

const { TOOLS, HOCKET, VSIX, APITEST_VSIX } = process.env;

// Auto-save writes stray keys to disk; hot exit brings texts of another run back.
const settings = {
	'hocket.find.budget': '300s', // the first search on a machine builds the standard library
	'files.autoSave': 'off',
	'files.exclude': { 'apitest.json': true },
	'files.hotExit': 'off',
	'workbench.startupEditor': 'none',
	'workbench.enableExperiments': false,
	'workbench.editor.useModal': 'off',
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.tips.enabled': false,
	'workbench.colorTheme': 'Default Dark Modern',
	'telemetry.telemetryLevel': 'off',
	'update.mode': 'none',
	'extensions.autoUpdate': false,
	'extensions.autoCheckUpdates': false,
	'extensions.ignoreRecommendations': true,
	'chat.disableAIFeatures': true,
	'git.enabled': false,
	'editor.minimap.enabled': false,
	'security.workspace.trust.startupPrompt': 'always',
};

export class CodeServer {
	constructor(dir) {
		this.dir = dir;
		this.#write('User', settings);
		this.#write('Machine', { 'hocket.path': HOCKET }); // the path of a command is a machine's
		fs.mkdirSync(path.join(dir, 'home'), { recursive: true });
		this.#fakeInstaller();
		fs.writeFileSync(path.join(dir, 'config.yaml'), 'auth: none\ncert: false\n');
	}

	#write(whose, values) {
		const file = path.join(this.dir, 'data', whose, 'settings.json');
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, JSON.stringify(values, null, 2));
	}

	/** Where go install puts commands. */
	get gobin() {
		return path.join(this.dir, 'gobin');
	}

	/** A go command that installs the Hocket under test where it is asked for a release. */
	#fakeInstaller() {
		const bin = path.join(this.dir, 'bin');
		fs.mkdirSync(bin, { recursive: true });
		const real = execFileSync('sh', ['-c', 'command -v go'], { encoding: 'utf8' }).trim();
		fs.writeFileSync(path.join(bin, 'go'), `#!/bin/sh
case "$1 $*" in
"install "*/cmd/hocket@*) echo "go: downloading Hocket" >&2; mkdir -p "$GOBIN" && cp "${HOCKET}" "$GOBIN/hocket" ;;
*) exec "${real}" "$@" ;;
esac
`, { mode: 0o755 });
		this.path = `${bin}${path.delimiter}${process.env.PATH}`;
	}

	#arguments(...more) {
		return [path.join(TOOLS, 'node_modules/code-server/out/node/entry.js'),
			'--config', path.join(this.dir, 'config.yaml'),
			'--user-data-dir', path.join(this.dir, 'data'),
			'--extensions-dir', path.join(this.dir, 'extensions'), ...more];
	}

	get #environment() {
		// The user's caches and tools of Go stay, all else of the home folder is fresh. As if
		// started from a shell: VS Code takes its environment, PATH above all.
		const go = (name) => execFileSync('go', ['env', name], { encoding: 'utf8' }).trim();
		const cache = process.env.XDG_CACHE_HOME ?? path.join(process.env.HOME, '.cache');
		return { ...process.env, HOME: path.join(this.dir, 'home'), PATH: this.path, GOBIN: this.gobin, VSCODE_CLI: '1', XDG_CACHE_HOME: cache, GOPATH: go('GOPATH'), GOCACHE: go('GOCACHE'), GOMODCACHE: go('GOMODCACHE') };
	}

	async install() {
		const log = fs.openSync(path.join(this.dir, 'install.log'), 'w');
		const child = spawn(process.execPath, this.#arguments('--install-extension', VSIX, '--install-extension', APITEST_VSIX),
			{ env: this.#environment, stdio: ['ignore', log, log] });
		const code = await new Promise((resolve) => child.on('close', resolve));
		if (code !== 0) throw new Error(`installing the extensions: ${fs.readFileSync(path.join(this.dir, 'install.log'), 'utf8')}`);
	}

	async start() {
		this.port = await freePort();
		const log = fs.openSync(path.join(this.dir, 'server.log'), 'w');
		this.child = spawn(process.execPath, this.#arguments('--bind-addr', `127.0.0.1:${this.port}`,
			'--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'),
		{ env: this.#environment, stdio: ['ignore', log, log], detached: true });
		this.ended = new Promise((resolve) => this.child.on('close', resolve));
		for (;;) {
			const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => undefined);
			if (answer?.ok) return;
			if (this.child.exitCode !== null) throw new Error(`code-server: ${fs.readFileSync(path.join(this.dir, 'server.log'), 'utf8')}`);
			await new Promise((r) => setTimeout(r, 100));
		}
	}

	url(folder) {
		return `http://127.0.0.1:${this.port}/?folder=${encodeURIComponent(folder)}`;
	}

	/** Ends the server and the extension hosts below it: its process group. */
	async stop() {
		if (!this.child || this.child.exitCode !== null) return;
		process.kill(-this.child.pid, 'SIGTERM');
		const timer = setTimeout(() => process.kill(-this.child.pid, 'SIGKILL'), 5000);
		await this.ended;
		clearTimeout(timer);
	}
}

function freePort() {
	return new Promise((resolve, reject) => {
		const s = net.createServer();
		s.on('error', reject);
		s.listen(0, '127.0.0.1', () => {
			const { port } = s.address();
			s.close(() => resolve(port));
		});
	});
}
