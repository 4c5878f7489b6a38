/** Between a driver and a cloud in memory: does to calls what the proxy does to requests. */
import { fault } from '../../../../activities/drivers/frame/fault.ts';
import type { FaultProxy, ProxiedCall, ProxyRule } from './fault-proxy.ts';

export class ToyWire implements FaultProxy {
  readonly url = 'toy:';
  readonly calls: ProxiedCall[] = [];
  #rules: { rule: ProxyRule; count: number }[] = [];

  add(rule: ProxyRule): void {
    this.#rules.push({ rule, count: 0 });
  }

  clear(): void {
    this.#rules = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.clear();
  }

  /** What was called, in words. */
  words(): string[] {
    return this.calls.map(({ path }) => path);
  }

  async carry<T>(path: string, signal: AbortSignal, deed: () => T): Promise<T> {
    // Nobody is asked in the same moment.
    await Promise.resolve();
    const call = { method: '', path };
    this.calls.push(call);
    const kind = this.#faultOf(call);
    if (signal.aborted) throw fault('cancelled', `toys: ${path}: cancelled`);
    if (kind === 'cutBefore') throw fault('unavailable', `toys: ${path}: cut`);
    if (kind === 'deafness') return await new Promise(() => undefined);
    const answer = deed();
    if (kind === 'loseAnswer') throw fault('unavailable', `toys: ${path}: cut`);
    if (kind === 'silence') return await new Promise(() => undefined);
    return answer;
  }

  #faultOf(call: ProxiedCall): string | undefined {
    for (const entry of this.#rules) {
      const { matches = () => true, nth, onHit, fault: happening } = entry.rule;
      if (!matches(call)) continue;
      entry.count += 1;
      if (nth !== undefined && entry.count !== nth) continue;
      onHit?.();
      return happening.kind;
    }
    return undefined;
  }
}
