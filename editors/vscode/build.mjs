// Bundles the extension into dist/ and copies the pictures of the walkthrough
// to media/, which vsce packs.
import { build } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
await build({
	absWorkingDir: here,
	entryPoints: ['src/extension.ts'],
	bundle: true,
	platform: 'node',
	target: 'node20',
	format: 'cjs',
	external: ['vscode'],
	minify: true,
	outfile: 'dist/extension.js',
});

const pictures = join(here, '../../docs/images');
mkdirSync(join(here, 'media'), { recursive: true });
for (const name of existsSync(pictures) ? readdirSync(pictures) : []) {
	if (/^vscode-.*\.png$/.test(name)) copyFileSync(join(pictures, name), join(here, 'media', name));
}
copyFileSync(join(here, '../../LICENSE'), join(here, 'LICENSE'));
