/** Colours, where the output is a terminal that shows them. */
import { styleText } from 'node:util';

export type Style = (text: string) => string;

export interface Palette {
  bad: Style;
  busy: Style;
  good: Style;
  faint: Style;
  strong: Style;
}

interface Output {
  isTTY?: boolean | undefined;
}

/** https://no-color.org and the variable FORCE_COLOR of Node. */
export function isColoured(
  output: Output,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

const plain: Style = (text) => text;

export function paletteOf(hasColours: boolean): Palette {
  if (!hasColours) return { bad: plain, busy: plain, good: plain, faint: plain, strong: plain };
  return {
    bad: styled('red'),
    busy: styled('yellow'),
    good: styled('green'),
    faint: styled('dim'),
    strong: styled('bold'),
  };
}

/** Node 20 has no third argument, and asks no stream; whether it is a terminal was asked above. */
function styled(format: Parameters<typeof styleText>[0]): Style {
  return (text) => styleText(format, text, { validateStream: false });
}

/** Style for the process itself. */
export function ownPalette(): Palette {
  return paletteOf(isColoured(process.stdout, process.env));
}
