/** Looks into a Node.js process that runs, and its threads: CPU profiles, sizes of heaps. */
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';

/** As the inspector gives it, and as browsers and editors open it. */
export interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds, one for each sample. */
  timeDeltas: number[];
}

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId?: string; message?: string };
  result?: { profile?: CpuProfile; result?: { value?: unknown } };
  error?: { message: string };
}

const samplingMicroseconds = 500;

/**
 * The process has to be started with `--inspect-port=0` in NODE_OPTIONS: its inspector then opens
 * at a free port when it is asked to, and says in its log which one that is.
 */
export async function openInspector({
  pid,
  log,
}: {
  pid: number;
  log: string;
}): Promise<Inspector> {
  process.kill(pid, 'SIGUSR1');
  let url = '';
  await eventually(`the inspector of process ${pid} opens`, async () => {
    url = /Debugger listening on (ws:\S+)/.exec(await readFile(log, 'utf8'))?.[1] ?? '';
    return url !== '';
  });
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`${url} does not answer`)));
  });
  return await Inspector.of(socket);
}

/** The name of the main thread; the others are numbered. */
const mainThread = 'main';
const nameOf = (index: number): string => (index === 0 ? mainThread : `thread-${index}`);

export class Inspector {
  readonly #socket: WebSocket;
  readonly #answers = new Map<string, (message: Message) => void>();
  /** Sessions of its worker threads. */
  readonly #threads: string[] = [];
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(mainThread, String(data)));
  }

  static async of(socket: WebSocket): Promise<Inspector> {
    const inspector = new Inspector(socket);
    await inspector.#call(mainThread, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  async start(): Promise<void> {
    for (const thread of this.#all()) {
      await this.#call(thread, 'Profiler.enable');
      const interval = samplingMicroseconds;
      await this.#call(thread, 'Profiler.setSamplingInterval', { interval });
      await this.#call(thread, 'Profiler.start');
    }
  }

  /** By thread, `main` first. */
  async stop(): Promise<Map<string, CpuProfile>> {
    const profiles = new Map<string, CpuProfile>();
    for (const [index, thread] of this.#all().entries()) {
      const { result } = await this.#call(thread, 'Profiler.stop');
      if (result?.profile) profiles.set(nameOf(index), result.profile);
    }
    return profiles;
  }

  /** The value of an expression in each thread, `main` first; it has to be JSON. */
  async evaluate(expression: string): Promise<Map<string, unknown>> {
    const values = new Map<string, unknown>();
    for (const [index, thread] of this.#all().entries()) {
      const asked = { expression, returnByValue: true };
      const { result } = await this.#call(thread, 'Runtime.evaluate', asked);
      values.set(nameOf(index), result?.result?.value);
    }
    return values;
  }

  close(): void {
    this.#socket.close();
  }

  #all(): string[] {
    return [mainThread, ...this.#threads];
  }

  #call(thread: string, method: string, params: object = {}): Promise<Message> {
    const id = (this.#lastId += 1);
    const message = JSON.stringify({ id, method, params });
    if (thread === mainThread) this.#socket.send(message);
    else
      void this.#call(mainThread, 'NodeWorker.sendMessageToWorker', { sessionId: thread, message });
    return new Promise((resolve, reject) => {
      this.#answers.set(`${thread} ${id}`, (answer) => {
        if (answer.error) reject(new Error(`${method}: ${answer.error.message}`));
        else resolve(answer);
      });
    });
  }

  #receive(thread: string, text: string): void {
    const message: Message = JSON.parse(text);
    const { id, method, params: { sessionId = '', message: inner = '' } = {} } = message;
    if (id !== undefined) this.#answers.get(`${thread} ${id}`)?.(message);
    if (method === 'NodeWorker.attachedToWorker') this.#threads.push(sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker') this.#receive(sessionId, inner);
  }
}
