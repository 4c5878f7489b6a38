import { defaultPayloadConverter } from '@temporalio/common';
import { failingErrors } from '../../../workers/temporal/bundle-workflows.ts';
import { bundleOfScripts } from '../differential/temporal/bundle.ts';
import type { ScriptBundle } from '../differential/temporal/bundle.ts';
import type { Step } from '../differential/temporal/script.ts';
import { workerOptions } from '../differential/temporal/worker-options.ts';
import { SimulatedProcess } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { SimulatedTemporal } from '../temporal/server.ts';
import { RunPool } from './run-pool.ts';
import { Sandboxes } from './sandbox.ts';
import type { Sandbox } from './sandbox.ts';
import { createWorker } from './worker.ts';

let bundle: ScriptBundle;

beforeAll(async () => {
  bundle = await bundleOfScripts();
});

afterAll(async () => {
  await bundle.remove();
});

const taskQueue = 'scripts';
const workflowId = 'script';
/** Longer than all tasks take that a worker without a line does not answer. */
const longMs = 120_000;

/** A run that notes its signals, and two workers; the first one may lose its line for a while. */
class Crew {
  readonly simulation = new Simulation(1);
  readonly temporal: SimulatedTemporal;
  readonly runs = new RunPool();
  readonly first = new SimulatedProcess(this.simulation, { name: 'first' });
  readonly second = new SimulatedProcess(this.simulation, { name: 'second' });
  readonly client;
  isFirstCut = false;

  constructor() {
    this.temporal = new SimulatedTemporal(this.simulation, {
      namespace: 'default',
      fateOf: () => ({ requestMs: 1, answerMs: 1 }),
      isReachable: (process) => process !== this.first || !this.isFirstCut,
    });
    const user = new SimulatedProcess(this.simulation, { name: 'user' });
    this.client = this.temporal.clientFor(user, 'user');
  }

  get run() {
    return this.temporal.engine.find(workflowId);
  }

  async pass(milliseconds = longMs): Promise<void> {
    await this.simulation.run(this.simulation.now + milliseconds);
  }

  work(process: SimulatedProcess, sandbox: Sandbox): void {
    const host = {
      simulation: this.simulation,
      process,
      line: this.temporal.lineFor(process, process.name),
      client: this.client,
      sandbox,
      runs: this.runs,
      evictions: 0,
      reused: 0,
    };
    void process.run(() => createWorker(host, { ...workerOptions, taskQueue }).run());
  }

  async start(steps: readonly Step[]): Promise<void> {
    const args = [{ steps, log: [] }];
    void this.client.workflow.start('scripted', { workflowId, taskQueue, args });
    await this.pass();
  }

  async signal(name: string): Promise<void> {
    void this.client.workflow.getHandle(workflowId).signal(name);
    await this.pass();
  }
}

test('a worker takes no run from its cache that went another way before a restore', async () => {
  const crew = new Crew();
  const { first, second } = crew;
  const failing = failingErrors['*'];
  const { codePath } = bundle;
  const sandbox = await new Sandboxes().for({
    codePath,
    activityNames: ['scripted'],
    failingErrors: failing,
  });
  crew.work(first, sandbox);
  await crew.start([{ do: 'await', signal: 'end' }]);
  const restore = crew.temporal.backup();
  await crew.signal('lost');
  expect(crew.run.activations).toHaveLength(2);

  crew.isFirstCut = true;
  restore();
  crew.work(second, sandbox);
  await crew.signal('kept');
  expect(crew.run.activations).toHaveLength(2);
  second.kill();
  crew.isFirstCut = false;
  await crew.signal('end');
  await crew.runs.close();
  const { result } = crew.run;
  expect(result && defaultPayloadConverter.fromPayload(result)).toEqual([
    'run 1',
    'heard kept',
    'heard end',
    '0 await: end came',
  ]);
  expect(crew.simulation.violations).toEqual([]);
});
