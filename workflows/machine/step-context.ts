/** Context that the steps of a machine share: its name, and its state. */
import type { DriverRequest } from '../contracts/driver-contract.ts';
import type { WorkflowInput, ObjectReference } from '../contracts/references.ts';
import { driverRequestOf } from '../contracts/driver-request.ts';
import type { OperationCall } from './driver-calls.ts';
import { CloudOperation } from './cloud-operation.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';

export class StepContext {
  readonly input: WorkflowInput;
  readonly state: MachineState;
  readonly #onChange: () => void;

  /** `onChange`: a step that runs beside the loop has something new to show. */
  constructor(input: WorkflowInput, state: MachineState, onChange: () => void) {
    this.input = input;
    this.state = state;
    this.#onChange = onChange;
  }

  get usesTarget(): boolean {
    return this.state.object.prepared?.usesTarget ?? true;
  }

  machine(): ObjectReference {
    const { uid, observed } = this.state.object;
    return { ...this.input.ref, uid: uid ?? observed?.uid ?? '' };
  }

  /** Called by a step that runs beside the loop, which shows the state again. */
  noteChange(): void {
    this.#onChange();
  }

  driverRequest(): DriverRequest {
    const { object, creation, failure } = this.state;
    return driverRequestOf(object.prepared ?? {}, {
      machine: this.machine(),
      cluster: this.input.cluster,
      generation: creation.generation,
      providerID: instanceOf(this.state)?.providerID,
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
}
