/**
 * Debugging a finding: its program runs under Delve, under the finding's
 * schedule, and stops at each switch. `hocket replay -debug=dap ID` is the
 * debug adapter; it prepares the program when the session starts. With
 * concurrent breakpoints it is `hocket break run -debug=dap`, which stops where
 * all sides have met.
 */

import * as vscode from 'vscode';
import type { LanguageClient, StaticFeature } from 'vscode-languageclient/node';
import { locate } from './binary';
import { Commands, type DebugAnswer, type FindingArgs } from './protocol';

const type = 'hocket';

/** Announces that findings can be debugged here: the server offers a lens then. */
export const debugCapability: StaticFeature = {
	fillClientCapabilities: (capabilities) => {
		capabilities.experimental = { ...(capabilities.experimental as object | undefined), hocketDebug: true };
	},
	initialize: () => undefined,
	getState: () => ({ kind: 'static' }),
	clear: () => undefined,
};

/** Serves sessions of type "hocket": from a lens, or from launch.json. */
export function registerDebugger(): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.debug.registerDebugConfigurationProvider(type, { resolveDebugConfiguration: resolve }),
		vscode.debug.registerDebugAdapterDescriptorFactory(type, {
			createDebugAdapterDescriptor: ({ configuration: c }) =>
				new vscode.DebugAdapterExecutable(locate(), adapterArgs(c), {
					cwd: String(c['adapterCwd'] ?? c['cwd']),
					env: (c['adapterEnv'] as Record<string, string> | undefined) ?? {},
				}),
		}),
	);
}

/** The adapter's arguments: those that the server sent, or of a launch.json. */
function adapterArgs(c: vscode.DebugConfiguration): string[] {
	if (Array.isArray(c['adapterArgs'])) return c['adapterArgs'].map(String);
	if (!c['package']) return ['replay', '-debug=dap', String(c['id'])];
	const run = c['run'] ? ['-run', String(c['run'])] : [];
	const ids = Array.isArray(c['breakpoints']) ? ['-id', c['breakpoints'].join(',')] : [];
	const args = Array.isArray(c['args']) ? ['--', ...c['args'].map(String)] : [];
	return ['break', 'run', '-debug=dap', ...run, ...ids, String(c['package']), ...args];
}

/** Starts a session for a finding. */
export async function debug(client: LanguageClient, arg: FindingArgs): Promise<void> {
	const given = { id: arg.id, ...(arg.uri ? { uri: arg.uri } : {}), ...(arg.step ? { step: arg.step } : {}) };
	const params = { command: Commands.debug, arguments: [given] };
	const answer = await client.sendRequest<DebugAnswer>('workspace/executeCommand', params);
	// From the schedule panel: the console would take its place.
	await start(answer, arg.step ? { internalConsoleOptions: 'neverOpen' } : {});
}

/** Starts a session as the server says. */
export async function start({ adapter, configuration }: DebugAnswer, options: object = {}): Promise<void> {
	const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(configuration.cwd));
	const how = { adapterArgs: adapter.args, adapterCwd: adapter.cwd, adapterEnv: adapter.env };
	await vscode.debug.startDebugging(folder, { ...configuration, ...how, ...options });
}

/** Completes a configuration: F5 without launch.json asks for a finding. */
async function resolve(
	folder: vscode.WorkspaceFolder | undefined,
	config: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
	if (!config['id'] && !config['package'] && !config['adapterArgs']) {
		await vscode.commands.executeCommand('hocket.debugFinding');
		return undefined; // that starts a session of its own
	}
	return { ...config, cwd: config['cwd'] ?? folder?.uri.fsPath ?? '.' };
}
