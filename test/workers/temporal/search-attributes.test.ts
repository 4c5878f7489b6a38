import { Client, Connection } from '@temporalio/client';
import {
  commandsFor,
  untilSearchAttributesKnown,
} from '../../../workers/temporal/search-attributes.ts';
import { searchAttributes } from '../../../workflows/contracts/search-attributes.ts';
import type { Call, Refusal } from './fake-temporal.ts';
import { startFakeTemporal } from './fake-temporal.ts';
import { logLines } from '../log/log-lines.ts';

const names = Object.keys(searchAttributes);
const codes = { invalidArgument: 3, permissionDenied: 7, unimplemented: 12, unavailable: 14 };
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

interface Server {
  known: Set<string>;
  /** Those of them that hold whole numbers. */
  numbers?: readonly string[];
  /** What the server says to a registration. Undefined: it registers. */
  refusal?: Refusal | undefined;
  /** What it says to everything. */
  outage?: Refusal | undefined;
}

async function startServer(server: Server) {
  const fake = await startFakeTemporal((call) => answerOf(server, call));
  stops.push(() => fake.close());
  const connection = await Connection.connect({ address: fake.address });
  stops.push(() => connection.close());
  return { calls: fake.calls, temporal: new Client({ connection, namespace: 'shared' }) };
}

function answerOf(server: Server, { method, text }: Call): Refusal | undefined {
  if (method === 'GetSystemInfo') return undefined;
  if (server.outage) return server.outage;
  if (method === 'CountWorkflowExecutions') return answerOfCount(server, text);
  if (server.refusal) return server.refusal;
  for (const name of names) if (text.includes(name)) server.known.add(name);
  return undefined;
}

function answerOfCount({ known, numbers = [] }: Server, query: string): Refusal | undefined {
  const isWell = (name: string): boolean =>
    known.has(name) && (query.includes('IS NOT NULL') || !numbers.includes(name));
  const fault = names.find((name) => query.includes(`${name} `) && !isWell(name));
  if (fault === undefined) return undefined;
  return { code: codes.invalidArgument, message: `column name '${fault}' is not defined` };
}

function waiting() {
  const { log, lines } = logLines();
  const reasons: string[] = [];
  const end = new AbortController();
  const onMissing = (reason: string): void => void reasons.push(reason);
  const wait = { log, signal: end.signal, onMissing, waitMs: { first: 1, max: 5 } };
  return { wait, reasons, lines, end };
}

test('at most 9 search attributes are Keyword, because an SQL store has 10 columns for all applications together', () => {
  const types = Object.values(searchAttributes);
  expect(types.filter((type) => type === 'KEYWORD').length).toBeLessThanOrEqual(9);
  for (const type of ['TEXT', 'DATETIME']) {
    expect(types.filter((other) => other === type).length).toBeLessThanOrEqual(3);
  }
});

test('attributes that can be used are neither listed nor registered', async () => {
  const { calls, temporal } = await startServer({ known: new Set(names) });
  const { wait, reasons } = waiting();
  await untilSearchAttributesKnown(temporal, wait);
  const methods = calls.map(({ method }) => method);
  expect(methods).toEqual(['GetSystemInfo', 'CountWorkflowExecutions']);
  expect(reasons).toEqual([]);
});

test('only search attributes that are unknown are registered', async () => {
  const server: Server = { known: new Set(names.filter((name) => name !== 'Deadline')) };
  const { calls, temporal } = await startServer(server);
  await untilSearchAttributesKnown(temporal, waiting().wait);
  const registered = calls.filter(({ method }) => method === 'AddSearchAttributes');
  expect(registered).toHaveLength(1);
  expect(registered[0]?.text).toContain('Deadline');
  expect(registered[0]?.text).not.toContain('NodeName');
});

describe.each([
  { name: 'an authorizer', refusal: { code: codes.permissionDenied, message: 'not permitted' } },
  { name: 'Temporal Cloud', refusal: { code: codes.unimplemented, message: 'unknown service' } },
  { name: 'a full store', refusal: { code: codes.invalidArgument, message: 'no column left' } },
])('where $name refuses the registration', ({ refusal }) => {
  test('the process says what to run and goes on as soon as that was done', async () => {
    const server: Server = { known: new Set(['State']), refusal };
    const { temporal } = await startServer(server);
    const { wait, reasons } = waiting();
    let isDone = false;
    const known = untilSearchAttributesKnown(temporal, {
      ...wait,
      onMissing(reason) {
        wait.onMissing(reason);
        // An administrator runs the command after the second refusal.
        if (reasons.filter((said) => said.includes('temporal operator')).length < 2) return;
        isDone = true;
        server.known = new Set(names);
      },
    });
    await known;
    expect(isDone).toBe(true);
    const refused = reasons.find((reason) => reason.includes('temporal operator')) ?? '';
    expect(refused).toContain(refusal.message);
    expect(refused).toContain('--name NodeName --type Text');
    expect(refused).toContain('--search-attribute "Deadline=Datetime"');
    expect(refused).not.toContain('--name State ');
  });
});

test('attributes that another application has with other types are named, and not registered', async () => {
  const server: Server = { known: new Set(names), numbers: ['State', 'Deadline'] };
  const { calls, temporal } = await startServer(server);
  const { wait, reasons } = waiting();
  await untilSearchAttributesKnown(temporal, {
    ...wait,
    onMissing(reason) {
      wait.onMissing(reason);
      // They are removed, and made anew.
      server.numbers = [];
    },
  });
  expect(reasons).toEqual([
    'search attributes of Temporal namespace shared have another type: State (must be Keyword), Deadline (must be Datetime). Give Millwright a Temporal namespace of its own',
  ]);
  expect(calls.map(({ method }) => method)).not.toContain('AddSearchAttributes');
});

test('a server that does not answer is asked again', async () => {
  const outage = { code: codes.permissionDenied, message: 'the store is away' };
  const server: Server = { known: new Set(names), outage };
  const { temporal } = await startServer(server);
  const { wait, reasons } = waiting();
  await untilSearchAttributesKnown(temporal, {
    ...wait,
    onMissing(reason) {
      wait.onMissing(reason);
      server.outage = undefined;
    },
  });
  expect(reasons).toEqual([expect.stringContaining('the store is away')]);
});

test('the end of the process ends the waiting', async () => {
  const refusal = { code: codes.permissionDenied, message: 'not permitted' };
  const { temporal } = await startServer({ known: new Set(), refusal });
  const { wait, end } = waiting();
  const reason = new Error('the process ends');
  const onMissing = (): void => end.abort(reason);
  await expect(untilSearchAttributesKnown(temporal, { ...wait, onMissing })).rejects.toBe(reason);
});

test('the commands name the Temporal namespace and each type', () => {
  expect(commandsFor(['State', 'WaitingSince'], 'shared')).toEqual([
    'temporal operator search-attribute create --namespace shared --name State --type Keyword --name WaitingSince --type Datetime',
    'tcld namespace search-attributes add --namespace shared --search-attribute "State=Keyword" --search-attribute "WaitingSince=Datetime"',
  ]);
});
