/** What the steps of a machine share: whose they are, what is known, and how one fails. */
import type { DriverRequest } from '../../contracts/driver-activities.ts';
import type { EntityInput, LifeRef } from '../../contracts/references.ts';
import type { PreparedMachine } from '../../contracts/machine-activities.ts';
import { contractVersion } from '../../contracts/driver-activities.ts';
import type { OperationCall } from '../driver-calls.ts';
import { nextFailure, phaseOfFailure } from '../failure.ts';
import { CloudOperation } from '../cloud-operation.ts';
import { setPhase } from '../phase.ts';
import type { MachineState } from '../state.ts';
import { defined } from '../../values/defined.ts';
import type { StepFailure } from '../../plan/machine/facts.ts';
import { shortStep } from '../../runtime/activity-options.ts';

export class StepContext {
  readonly input: EntityInput;
  readonly state: MachineState;
  readonly #onChange: () => void;

  /** `onChange`: a step that runs beside the loop has something new to show. */
  constructor(input: EntityInput, state: MachineState, onChange: () => void) {
    this.input = input;
    this.state = state;
    this.#onChange = onChange;
  }

  get usesTarget(): boolean {
    return this.state.prepared?.usesTarget ?? true;
  }

  machine(): LifeRef {
    const { uid, observed } = this.state;
    return { ...this.input.ref, uid: uid ?? observed?.uid ?? '' };
  }

  driverRequest(): DriverRequest {
    const { prepared, instance, createGeneration, failure, uid = '' } = this.state;
    const known: Partial<PreparedMachine> = prepared ?? {};
    return defined({
      contractVersion,
      machine: this.machine(),
      cluster: this.input.cluster,
      className: known.className ?? '',
      provider: known.provider ?? '',
      token: `${uid}-${createGeneration}`,
      providerID: instance?.providerID ?? known.providerID,
      bootstrapTokenId: known.bootstrapTokenId,
      nodeTemplate: known.nodeTemplate,
      lastKnownState: known.lastKnownState,
      isRetry: failure !== undefined,
    });
  }

  operationCall(name: 'Create' | 'Delete'): OperationCall {
    const { state, usesTarget } = this;
    const request = this.driverRequest();
    const { machine, token } = request;
    const onChange = this.#onChange;
    const operation = new CloudOperation({ state, machine, name, token, onChange });
    return { request, usesTarget, operation };
  }

  /** Plans the next attempt. What failed is said on the object by the next step. */
  fail(failure: StepFailure, operation: 'Create' | 'Delete'): void {
    const { state } = this;
    state.failure = nextFailure(state, failure, operation);
    state.unreported = { failure, operation };
    setPhase(state, phaseOfFailure(operation, state.phase));
  }

  async recordFailure(): Promise<void> {
    const { unreported, phase, createGeneration } = this.state;
    if (!unreported) return;
    const input = { machine: this.machine(), ...unreported, phase, createGeneration };
    const summary = `${unreported.failure.code}: report`;
    await shortStep((steps) => steps.recordFailure(input), summary);
    delete this.state.unreported;
  }
}
