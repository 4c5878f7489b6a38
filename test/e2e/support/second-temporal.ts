/** One more Temporal server on the PostgreSQL of the stack: both share the histories. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { answersOk } from '../../../deploy/local/components/component.ts';
import { temporalServerCommand } from '../../../deploy/local/components/temporal-server.ts';
import { historyShards } from '../../../deploy/local/components/temporal-config.ts';
import { startGuardian } from '../../../deploy/local/supervision/guardian.ts';
import {
  choosePorts,
  host,
  localPorts,
  type Ports,
} from '../../../deploy/local/supervision/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { logFolderOf, testStack } from './test-stack.ts';

export class SecondTemporal {
  readonly #ports: Ports;
  readonly #process: ChildProcess;

  private constructor(ports: Ports, process: ChildProcess) {
    this.#ports = ports;
    this.#process = process;
  }

  /** Resolves when it answers and has its share of the histories. */
  static async start(name: string): Promise<SecondTemporal> {
    const { stack, layout } = testStack();
    const file = await preparedBinary('temporal-server');
    const free = { ...localPorts, isFree: () => Promise.resolve(false) };
    const { ports: chosen } = await choosePorts({}, free);
    const ports = { ...chosen, postgresql: stack.ports.postgresql };
    const folder = logFolderOf(testStack(), name);
    const { args, env } = temporalServerCommand({ file, folder, layout, ports });
    const log = openSync(join(folder, 'temporal.log'), 'a');
    // A process group of its own, which ends with this process however that goes.
    const child = spawn(file, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    if (child.pid === undefined) throw new Error(`cannot run ${file}`);
    startGuardian(child.pid);
    const server = new SecondTemporal(ports, child);
    await server.#untilShared();
    return server;
  }

  get address(): string {
    return `${host}:${this.#ports.temporal}`;
  }

  async kill9(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  async #untilShared(): Promise<void> {
    const url = `http://${host}:${this.#ports.temporalHttp}/api/v1/namespaces`;
    await eventually('the second Temporal server answers', async () =>
      expect(await answersOk(url)).toBe(true),
    );
    await eventually('both Temporal servers have some of the histories', async () => {
      const [own, other] = await Promise.all([
        shardsOf(this.#ports),
        shardsOf(testStack().stack.ports),
      ]);
      expect({ own, other, sum: own + other }).toMatchObject({ sum: historyShards });
      expect(Math.min(own, other)).toBeGreaterThan(0);
    });
  }
}

/** The stack's own server has all histories again. */
export async function untilAloneAgain(): Promise<void> {
  await eventually('the Temporal server that is left has all histories', async () =>
    expect(await shardsOf(testStack().stack.ports)).toBe(historyShards),
  );
}

/** How many of the parts into which the histories are divided a server has. */
async function shardsOf({ temporalMetrics }: Ports): Promise<number> {
  const page = await (await fetch(`http://${host}:${temporalMetrics}/metrics`)).text();
  const [, count] = /^numshards_gauge\{[^}]*\} (\d+)/m.exec(page) ?? [];
  return Number(count ?? 0);
}
