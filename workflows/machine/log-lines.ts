/** Decisions for a machine, and their results, as log lines: docs/logs.md. A replay writes none. */
import { log } from '@temporalio/workflow';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';
import type { MachineStep } from '../plan/machine/steps.ts';
import type { WorkflowInput } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';

/** The steps that do something to a cloud, a Node or the Machine itself. */
const decisions: Partial<Record<MachineStep['action'], string>> = {
  launch: 'creates the instance',
  create: 'creates the instance',
  recordTimeout: 'the creation took too long',
  deleteWithNode: 'deletes the Machine, as its Node was deleted',
  recordMissingInstance: 'the cloud does not know the instance any more',
  drainPreserved: 'drains the Node of the preserved machine',
  drain: 'drains the Node, then removes the machine',
  deleteInstance: 'deletes the instance',
};

export class MachineLog {
  readonly #input: WorkflowInput;
  #phase: string;
  /** A step that is tried again is the same decision. */
  #decided: string | undefined;

  /** `phase`: the one that the run before has logged. */
  constructor(input: WorkflowInput, phase: string) {
    this.#input = input;
    this.#phase = phase;
  }

  /** To be called in each turn. */
  report(state: MachineState, { action }: MachineStep): void {
    this.#tellPhase(state);
    const words = decisions[action];
    if (words === undefined || words === this.#decided) return;
    this.#decided = words;
    log.info(words, this.#fields(state));
  }

  end(state: MachineState, reason: string): void {
    log.info('the workflow of the machine ends', { ...this.#fields(state), reason });
  }

  #tellPhase(state: MachineState): void {
    const { phase, failure } = state;
    if (phase === this.#phase) return;
    const from = this.#phase;
    this.#phase = phase;
    const detail = phase === 'Running' || phase === 'Available' ? undefined : failure?.detail;
    const why = detail && `${detail.code}: ${detail.message}`;
    log.info(`the machine is ${phase}`, defined({ ...this.#fields(state), from, failure: why }));
  }

  #fields(state: MachineState) {
    const { providerID, nodeName } = instanceOf(state) ?? {};
    const { ref, launch } = this.#input;
    const { provider } = state.object.prepared ?? launch ?? {};
    const machine = `${ref.namespace}/${ref.name}`;
    return defined({ machine, provider, providerID, nodeName });
  }
}
