// The pictures of the documentation, taken while the tests go, where SHOTS says
// so: vscode-NAME-dark.png and vscode-NAME-light.png.
import fs from 'node:fs';
import path from 'node:path';

const themes = { light: 'Default Light Modern', dark: 'Default Dark Modern' };
const { SHOTS } = process.env;

export class Shots {
	/** set changes settings. */
	constructor(workbench, set) {
		this.workbench = workbench;
		this.set = set;
		if (SHOTS) fs.mkdirSync(SHOTS, { recursive: true });
	}

	/** One picture, in the dark theme. */
	async take(name, theme = 'dark') {
		if (!SHOTS) return;
		await this.workbench.page.screenshot({ path: path.join(SHOTS, `vscode-${name}-${theme}.png`) });
	}

	/** One in each theme; again brings back what a change of the theme closes. */
	async both(name, again) {
		if (!SHOTS) return;
		for (const theme of ['light', 'dark']) {
			await this.set({ 'workbench.colorTheme': themes[theme] });
			const light = theme === 'light';
			await this.workbench.page.locator(light ? '.monaco-workbench.vs' : '.monaco-workbench.vs-dark').first().waitFor();
			await this.#faded(light);
			if (again) {
				await again();
				await this.workbench.hover.waitFor();
			}
			await this.take(name, theme);
		}
	}

	/** The colours of a theme fade in. */
	async #faded(light) {
		await this.workbench.page.waitForFunction((light) => {
			const of = (e) => getComputedStyle(e).backgroundColor.match(/\d+/g).slice(0, 3).map(Number);
			return [...document.querySelectorAll('.part.statusbar, .part.titlebar')]
				.every((e) => of(e).every((v) => (light ? v > 200 : v < 60)));
		}, light);
	}
}
