/** What this driver says by itself of an instance that ended. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';
import { awsErrors } from './errors.ts';
import { idOf } from './instance-view.ts';

/**
 * EC2 answers a token with the instance that it made once, dead or alive. The next one needs
 * another token.
 */
export function spent(instance: Instance): DriverError {
  const reason = reasonOf(instance) ?? instance.StateTransitionReason;
  const why = reason ? `: ${reason}` : '';
  const message = `instance ${idOf(instance)} of this attempt is ${instance.State?.Name}${why}`;
  return new DriverError({ code: 'Aborted', message, settled: true });
}

/**
 * Codes of `StateReason` (EC2 API reference, type StateReason) that mean something else than the
 * error of the same name. The rest is looked up in the table of errors, without `Client.` or
 * `Server.`.
 */
const meaningsOfReasons: Readonly<Record<string, MeaningName>> = {
  'Client.InternalError': 'precondition',
  'Client.InvalidKMSKey.InvalidState': 'precondition',
  'Client.InstanceInitiatedShutdown': 'spent',
  'Client.UserInitiatedShutdown': 'spent',
  'Server.SpotInstanceShutdown': 'capacity',
  'Server.SpotInstanceTermination': 'capacity',
};

const keyRights =
  'give them kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKeyWithoutPlaintext and kms:ReEncrypt* on the key';

const hints: Readonly<Record<string, string>> = {
  'Client.InternalError': `Mostly a volume is encrypted with a KMS key that the credentials of the class may not use: ${keyRights}`,
  'Client.InvalidKMSKey.InvalidState': `The KMS key of a volume is disabled or is to be deleted, or the credentials of the class may not use it: ${keyRights}`,
};

/**
 * An instance that ended while the driver waited for it counts as a refused create: nothing of it
 * is left.
 */
export function died(region: string, instance: Instance): DriverError {
  const reason = reasonOf(instance);
  const code = instance.StateReason?.Code ?? '';
  const { isRefusal: _isRefusal, ...meaning } = meanings[meaningOf(code)];
  const what = `instance ${idOf(instance)} is ${instance.State?.Name}`;
  const parts = [`EC2 in ${region}: ${what}`, reason, ownIn(hints, code)].filter(Boolean);
  const message = parts.join(parts.length > 2 ? '. ' : ': ');
  return new DriverError({ ...meaning, message, settled: true });
}

function meaningOf(reasonCode: string): MeaningName {
  const code = reasonCode.replace(/^(Client|Server)\./, '');
  return ownIn(meaningsOfReasons, reasonCode) ?? ownIn(awsErrors, code) ?? 'spent';
}

function ownIn<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** EC2 begins most messages with the code. */
function reasonOf({ StateReason }: Instance): string | undefined {
  const { Code = '', Message = '' } = StateReason ?? {};
  if (Message.startsWith(Code)) return Message || undefined;
  return [Code, Message].filter(Boolean).join(': ');
}
