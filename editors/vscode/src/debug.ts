/**
 * Debugging a finding: its program runs under Delve, under the finding's
 * schedule, and stops at each switch. `hocket replay -debug=dap ID` is the
 * debug adapter; it prepares the program when the session starts.
 */

import * as vscode from 'vscode';
import type { LanguageClient, StaticFeature } from 'vscode-languageclient/node';
import { locate } from './binary';
import { Commands, type DebugAnswer, type FindingArgs } from './protocol';

const type = 'hocket';

/** Tells the server that findings can be debugged here: it offers a lens then. */
export const debugCapability: StaticFeature = {
	fillClientCapabilities: (capabilities) => {
		capabilities.experimental = { ...(capabilities.experimental as object | undefined), hocketDebug: true };
	},
	initialize: () => undefined,
	getState: () => ({ kind: 'static' }),
	clear: () => undefined,
};

/** Serves sessions of type "hocket": from a lens, or from launch.json with an id. */
export function registerDebugger(): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.debug.registerDebugConfigurationProvider(type, { resolveDebugConfiguration: resolve }),
		vscode.debug.registerDebugAdapterDescriptorFactory(type, {
			createDebugAdapterDescriptor: ({ configuration: c }) =>
				new vscode.DebugAdapterExecutable(locate(), ['replay', '-debug=dap', String(c['id'])], {
					cwd: String(c['cwd']),
					env: (c['adapterEnv'] as Record<string, string> | undefined) ?? {},
				}),
		}),
	);
}

/** Starts a session for a finding. */
export async function debug(client: LanguageClient, arg: FindingArgs): Promise<void> {
	const given = { id: arg.id, ...(arg.uri ? { uri: arg.uri } : {}) };
	const params = { command: Commands.debug, arguments: [given] };
	const answer = await client.sendRequest<DebugAnswer>('workspace/executeCommand', params);
	const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(answer.configuration.cwd));
	await vscode.debug.startDebugging(folder, { ...answer.configuration, adapterEnv: answer.adapter.env });
}

/** Completes a configuration: F5 without launch.json asks for a finding. */
async function resolve(
	folder: vscode.WorkspaceFolder | undefined,
	config: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
	if (!config['id']) {
		await vscode.commands.executeCommand('hocket.debugFinding');
		return undefined; // that starts a session of its own
	}
	return { ...config, cwd: config['cwd'] ?? folder?.uri.fsPath ?? '.' };
}
