/** What a page of docs/runbooks consists of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';

export const runbookFolder = 'docs/runbooks';

export class RunbookPage {
  readonly text: string;

  /** `file`: such as `quota.md`. */
  constructor(file: string) {
    this.text = readFileSync(join(repository, runbookFolder, file), 'utf8');
  }

  /** Headings of the first level below the title. */
  get sections(): string[] {
    return headingsIn(withoutCode(this.text), '##');
  }

  /** Of sections and of the parts of sections, those with commands to carry out. */
  get headingsWithCommands(): string[] {
    const text = withoutCode(this.text);
    return [...headingsIn(text, '##'), ...headingsIn(text, '###')].filter((heading) => {
      const own = this.#below(heading)?.split('\n### ')[0] ?? '';
      return commandsIn(own).length > 0;
    });
  }

  /** Commands below a heading, one text for each block; those of the parts of a section as well. */
  commandsBelow(heading: string): string[] {
    return commandsIn(this.#below(heading) ?? '');
  }

  get commands(): string[] {
    return commandsIn(this.text);
  }

  /** Names of the variables that the page asks to set. */
  get variables(): string[] {
    const [top = ''] = this.text.split('\n## ');
    const lines = commandsIn(top).flatMap((block) => block.split('\n'));
    return lines
      .filter((line) => line.startsWith('export '))
      .flatMap((line) => [...line.matchAll(/\b([A-Z][A-Z_0-9]*)=/g)].map(([, name = '']) => name));
  }

  #below(heading: string): string | undefined {
    const [, section] = this.text.split(`\n## ${heading}\n`);
    if (section !== undefined) return section.split('\n## ')[0];
    const [, part] = this.text.split(`\n### ${heading}\n`);
    return part?.split(/\n###? /)[0];
  }
}

const headingsIn = (text: string, mark: string): string[] =>
  [...text.matchAll(new RegExp(`^${mark} (.+)$`, 'gm'))].map(([, heading = '']) => heading);

const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);

/** Comments of a shell look like headings. */
const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, '');
