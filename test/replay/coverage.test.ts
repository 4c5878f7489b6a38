/**
 * What a run can do and no recording holds can be changed so that live runs break, and no replay
 * notices. What is new needs a recording; what is left here may only become less.
 */
import { gates } from '../../activities/gates.ts';
import { machineCommands, rolloutCommands } from '../../workflows/contracts/commands.ts';
import {
  drainReport,
  instanceMissing,
  poolChanged,
  watcherSignals,
} from '../../workflows/contracts/messages.ts';
import { readHistory, recordedPaths } from './histories.ts';

const unrecorded = ['activity volumeIds'];

interface Payloads {
  payloads?: { data?: string }[];
}

interface HistoryEvent {
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  markerRecordedEventAttributes?: { details?: Record<string, Payloads> };
  workflowExecutionSignaledEventAttributes?: { signalName: string };
  workflowExecutionUpdateAcceptedEventAttributes?: { acceptedRequest: { input: { name: string } } };
}

function inEvent(event: HistoryEvent): string[] {
  const scheduled = event.activityTaskScheduledEventAttributes?.activityType.name;
  const signal = event.workflowExecutionSignaledEventAttributes?.signalName;
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest.input.name;
  const details = Object.values(event.markerRecordedEventAttributes?.details ?? {});
  const local = details.flatMap(({ payloads = [] }) => payloads.flatMap(activityOf));
  return [
    ...[...(scheduled === undefined ? [] : [scheduled]), ...local].map(
      (name) => `activity ${name}`,
    ),
    ...(signal === undefined ? [] : [`signal ${signal}`]),
    ...(update === undefined ? [] : [`update ${update}`]),
  ];
}

/** A local activity is a marker. */
function activityOf({ data = '' }: { data?: string }): string[] {
  const name = /"activity_type":"(\w+)"/.exec(Buffer.from(data, 'base64').toString())?.[1];
  return name === undefined ? [] : [name];
}

function recorded(): Set<string> {
  const events = recordedPaths().flatMap(
    (path): HistoryEvent[] => JSON.parse(readHistory(path)).events,
  );
  return new Set(events.flatMap(inEvent));
}

function possible(): string[] {
  const verbs = Object.keys({ ...machineCommands, ...rolloutCommands });
  const others = [drainReport, instanceMissing, poolChanged];
  const signals = [...Object.keys(watcherSignals), ...others.map((signal) => signal.name)];
  return [
    ...[...Object.keys(gates), 'syncPool'].map((name) => `activity ${name}`),
    ...[...signals, ...verbs].map((name) => `signal ${name}`),
    ...verbs.map((name) => `update ${name}`),
  ];
}

test('all that a run can do is in a recording, but for what is listed', () => {
  const held = recorded();
  const missing = possible().filter((one) => !held.has(one));
  expect(missing.toSorted()).toEqual(unrecorded);
});
