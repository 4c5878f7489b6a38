/**
 * What Hetzner's errors mean, and its states. The codes are those that its Go library names
 * (hcloud-go, hcloud/error.go), as far as servers, floating IPs and what a server is made of can
 * give them.
 */
import { httpMeanings, meaningIn } from '../error-meanings.ts';
import type { ErrorTable, MeaningName } from '../error-meanings.ts';
import type { State } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import type { Refusal, RestAnswer } from '../frame/http.ts';
import type { DriverError } from '../driver.ts';

/** By `error.code` of an answer or of an action. */
export const codeMeanings = {
  rate_limit_exceeded: 'throttling',
  resource_limit_exceeded: 'quota',
  // The location, or the network, has no more.
  resource_unavailable: 'capacity',
  placement_error: 'capacity',
  no_space_left_in_location: 'capacity',
  no_subnet_available: 'capacity',
  unauthorized: 'unauthenticated',
  forbidden: 'forbidden',
  token_readonly: 'forbidden',
  // The class has to be changed.
  invalid_input: 'input',
  json_error: 'input',
  invalid_server_type: 'input',
  unsupported_error: 'input',
  networks_overlap: 'input',
  ip_not_available: 'input',
  incompatible_network_type: 'input',
  firewall_resource_not_found: 'input',
  private_net_only_server: 'input',
  primary_ip_assigned: 'input',
  primary_ip_already_assigned: 'input',
  primary_ip_version_mismatch: 'input',
  primary_ip_datacenter_mismatch: 'input',
  server_has_ipv4: 'input',
  server_has_ipv6: 'input',
  not_found: 'missing',
  uniqueness_error: 'taken',
  // A person has to act.
  protected: 'precondition',
  resource_locked: 'precondition',
  server_not_stopped: 'precondition',
  server_already_attached: 'precondition',
  resource_in_use: 'precondition',
  // Asked again soon: another action is under way.
  locked: 'conflict',
  conflict: 'conflict',
  // Hetzner's own trouble.
  maintenance: 'unavailable',
  service_error: 'unavailable',
  server_error: 'unavailable',
  bad_gateway: 'unavailable',
  robot_unavailable: 'unavailable',
  timeout: 'unanswered',
  unknown_error: 'unknown',
  deprecated_api_endpoint: 'unknown',
} as const satisfies ErrorTable;

/** By HTTP status, where the code is new. None means "missing": that takes the code. */
export const statusMeanings = {
  ...httpMeanings,
  '408': 'unanswered',
  '412': 'precondition',
  '422': 'input',
  '423': 'conflict',
} as const satisfies ErrorTable;

/** A location that lacks the type: another class of the pool fits, so the autoscaler goes on. */
const isElsewhere = /unsupported location for server type/i;

export function meaningOf(code: string, words: string, status?: number): MeaningName {
  if (isElsewhere.test(words)) return 'capacity';
  return meaningIn(codeMeanings, code) ?? meaningIn(statusMeanings, String(status)) ?? 'unknown';
}

/** Undefined where the answer has not Hetzner's form. */
export function refusalIn({ json, status }: RestAnswer): Refusal | undefined {
  const { code, message, details } = Object(Object(json)['error']);
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  const fields = fieldsIn(details);
  const words = fields === '' ? message : `${message} (${fields})`;
  return { meaning: meaningOf(code, words, status), code, words };
}

/** Of `invalid_input`: `image: not found; location: unknown`. */
function fieldsIn(details: unknown): string {
  const { fields } = Object(details);
  if (!Array.isArray(fields)) return '';
  return fields
    .map((field: unknown) => {
      const { name, messages } = Object(field);
      return Array.isArray(messages) ? `${name}: ${messages.join(', ')}` : String(name);
    })
    .join('; ');
}

/** The part of an action that says why it has failed. */
export interface FailedAction {
  command: string;
  error: { code: string; message: string } | null;
}

/** `name`: of what it was for. */
export function failureOf(action: FailedAction, name: string, settled: boolean): DriverError {
  const { code, message } = action.error ?? {
    code: 'unknown_error',
    message: 'no reason is given',
  };
  const words = `Hetzner Cloud: action ${action.command} of ${name}: ${code}: ${message}`;
  return fault(meaningOf(code, message), words, settled);
}

const states: Readonly<Record<string, State['is']>> = {
  initializing: 'coming',
  starting: 'coming',
  stopping: 'going',
  deleting: 'going',
  off: 'failed',
};

/** Between its make and its start a server is off, and locked by an action. */
export function stateOf({
  status: words = 'unknown',
  locked,
}: { status?: string; locked?: boolean } = {}): State {
  return { is: words === 'off' && locked ? 'coming' : (states[words] ?? 'ready'), words };
}
