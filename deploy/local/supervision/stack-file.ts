import { readFileSync, rmSync } from 'node:fs';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Layout } from '../layout.ts';
import { isAlive, signalProcess, type ProcessIdentity } from './identity.ts';
import type { Ports } from './ports.ts';
import { hasCode, messageOf } from '../failure.ts';

/** One running process of the stack. */
export interface RunningComponent extends ProcessIdentity {
  /** URL or host and port; empty for a component that serves nothing. */
  address: string;
  /** Absolute path of its log. */
  log: string;
  /** How often it was started again. */
  restarts: number;
}

/** The content of `stack.json`: what runs now. */
export interface Stack {
  state: 'starting' | 'running' | 'stopping';
  stateDir: string;
  kubeconfig: string;
  namespace: string;
  /** Environment of a worker or watcher that is started by hand. */
  environment: Record<string, string>;
  ports: Ports;
  supervisor: ProcessIdentity;
  components: Record<string, RunningComponent>;
}

export function writeStackFile(layout: Layout, stack: Stack): void {
  writeFileAtomically(layout.stackFile, `${JSON.stringify(stack, undefined, 2)}\n`);
}

export function removeStackFile(layout: Layout): void {
  rmSync(layout.stackFile, { force: true });
}

/** The stack that runs in this state folder, or undefined when none does. */
export function readRunningStack(layout: Layout): Stack | undefined {
  const stack = readStackFile(layout);
  return stack !== undefined && isAlive(stack.supervisor) ? stack : undefined;
}

/** Reads the file, of a stack that runs or not. */
export function readStackFile(layout: Layout): Stack | undefined {
  return readJson(layout.stackFile, (text): Stack => JSON.parse(text));
}

/** Kills what a stack left behind whose supervisor and guardian were both killed. */
export function killLeftovers(layout: Layout): number {
  const left = Object.values(readStackFile(layout)?.components ?? {}).filter(isAlive);
  for (const component of left) signalProcess(component, 'SIGKILL');
  return left.length;
}

/** The ports of the last run, so that addresses stay the same. */
export function readPorts(layout: Layout): Partial<Ports> {
  return readJson(layout.portsFile, (text): Partial<Ports> => JSON.parse(text)) ?? {};
}

export function writePorts(layout: Layout, ports: Ports): void {
  writeFileAtomically(layout.portsFile, `${JSON.stringify(ports, undefined, 2)}\n`);
}

function readJson<T>(file: string, parse: (text: string) => T): T | undefined {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new Error(`Cannot read ${file}: ${messageOf(error)}. Remove it and start again.`, {
      cause: error,
    });
  }
}
