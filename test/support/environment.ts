/** Variables of the process while tests run. The files of a worker share a process. */

export type Variables = Readonly<Record<string, string | undefined>>;

/** Sets them, undefined removes one. Returns what brings back those that were there. */
export function setEnvironment(variables: Variables): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  assign(Object.entries(variables));
  return () => assign(before);
}

/** For all tests of the file, or of the `describe`, that calls it. */
export function withEnvironment(variables: Variables): void {
  let restore: () => void;
  beforeAll(() => {
    restore = setEnvironment(variables);
  });
  afterAll(() => restore());
}

/** The settings of Temporal's clients that this machine may have. */
export function withoutTemporal(): Variables {
  const names = Object.keys(process.env).filter((name) => name.startsWith('TEMPORAL_'));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function assign(variables: Iterable<readonly [string, string | undefined]>): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
