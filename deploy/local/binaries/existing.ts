import { findOnPath, isExecutable, runProgram } from './program.ts';
import { fits, versionIn, type AcquireWorld } from './source.ts';
import type { Tool } from './tools.ts';
import { messageOf } from '../failure.ts';

/**
 * A binary that the person has: named by the tool's variable, or on PATH. One of another version is
 * passed over with a line. A variable that names no program is an error: it was set on purpose.
 */
export async function findExisting(tool: Tool, world: AcquireWorld): Promise<string | undefined> {
  const named = world.env[tool.variable];
  if (named !== undefined && named !== '') {
    if (!(await isExecutable(named))) {
      throw new Error(`${tool.variable}: "${named}" is not an executable file`);
    }
    if (await isFitting(tool, named, world)) return named;
  }
  // A program that does not print its version is only taken from where it is named.
  if (tool.versionArgs === undefined) return undefined;
  const onPath = await findOnPath(tool.name, world.env['PATH'] ?? '');
  return onPath !== undefined && (await isFitting(tool, onPath, world)) ? onPath : undefined;
}

async function isFitting(tool: Tool, file: string, world: AcquireWorld): Promise<boolean> {
  if (tool.anyVersion === true || tool.versionArgs === undefined) return true;
  try {
    const printed = await runProgram(file, tool.versionArgs);
    if (fits(tool, printed)) return true;
    world.report(
      `${file} is version ${versionIn(printed) ?? 'unknown'}, not ${tool.version}: skipped`,
    );
  } catch (error) {
    world.report(`${file} does not print its version (${messageOf(error)}): skipped`);
  }
  return false;
}
