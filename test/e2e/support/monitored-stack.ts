/** A stack with `--monitoring`, whose three machines have lived, been drained and been replaced. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { startStack, stopStack, type Stack } from '../../../deploy/local/stack.ts';
import { eventually } from '../../support/eventually.ts';
import { Prometheus } from './prometheus.ts';
import { VirtualCloud, type CloudFault } from './virtual-cloud.ts';

const pool = join(repository, 'deploy/examples/machinedeployment.yaml');

export interface Trouble {
  machine: string;
  /** Beside the class `small`. */
  spec?: { class?: { name: string }; creationTimeout?: string };
  /** Of the cloud, for this machine only. */
  fault?: CloudFault;
  alert: Alert;
}

export interface Alert {
  alertname: string;
  cause?: string;
}

export function creation(cause: string): Alert {
  return { alertname: 'MillwrightCreationFails', cause };
}

interface Parts {
  stack: Stack;
  prometheus: Prometheus;
  /** Path of the program. */
  kubectl: string;
}

export class MonitoredStack {
  readonly #stateDir = mkdtempSync(join(tmpdir(), 'millwright-monitoring-'));
  #started: Parts | undefined;

  async start(): Promise<void> {
    const kubectl = await preparedBinary('kubectl');
    const stack = await startStack({ stateDir: this.#stateDir, quiet: true, monitoring: true });
    const prometheus = new Prometheus(stack.components['prometheus']?.address ?? '');
    this.#started = { stack, prometheus, kubectl };
    await this.kubectl(['apply', '-f', pool]);
    await this.#untilRunning(3);
    // A drain, a deletion, and a machine that follows.
    const names = await this.kubectl(['get', 'machines.machine.sapcloud.io', '-o', 'name']);
    await this.kubectl(['delete', ...names.trim().split('\n').slice(0, 1)]);
    await this.#untilRunning(3);
  }

  async stop(): Promise<void> {
    await stopStack(this.#stateDir);
  }

  removeState(): void {
    rmSync(this.#stateDir, { recursive: true, force: true });
  }

  get stack(): Stack {
    return this.#parts.stack;
  }

  get prometheus(): Prometheus {
    return this.#parts.prometheus;
  }

  async kubectl(args: readonly string[], input = ''): Promise<string> {
    const { kubectl, stack } = this.#parts;
    const words = [`--kubeconfig=${stack.kubeconfig}`, ...args];
    return await runProgram(kubectl, words, { input });
  }

  /**
   * Waits until the condition of its rule holds, which is seen at once: the rules wait for minutes
   * before they fire. Returns what fires or is about to.
   */
  async untilPending(alert: Alert): Promise<unknown> {
    return await eventually('its alert is pending', async () => {
      const alerts = await this.prometheus.alerts();
      expect(alerts).toContainEqual(expect.objectContaining(alert));
      return alerts;
    });
  }

  /** Makes the machine. */
  async begin({ machine, spec = {}, fault }: Trouble): Promise<void> {
    const cloud = new VirtualCloud(this.stack.components['virtual-cloud']?.address ?? '', machine);
    if (fault) await cloud.addFault(fault);
    const manifest = {
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'Machine',
      metadata: { name: machine, namespace: this.stack.namespace },
      spec: { ...spec, class: { kind: 'MachineClass', name: 'small', ...spec.class } },
    };
    await this.kubectl(['apply', '-f', '-'], JSON.stringify(manifest));
  }

  get #parts(): Parts {
    if (this.#started === undefined) throw new Error('the stack with Prometheus has not started');
    return this.#started;
  }

  async #untilRunning(count: number): Promise<void> {
    await eventually(`${count} machines run`, async () => {
      const running = 'sum(millwright_machines{phase="Running"})';
      expect(await this.prometheus.value(running)).toBe(count);
    });
  }
}

/** One for the tests of a file. */
export function useMonitoredStack(): MonitoredStack {
  const monitored = new MonitoredStack();
  beforeAll(() => monitored.start());
  afterAll(async () => {
    await monitored.stop();
    monitored.removeState();
  });
  return monitored;
}

/** As Grafana asks, with All chosen in each variable. */
export function plain(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.*');
}
