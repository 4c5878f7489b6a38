/** CPU time of this process, from the moment of its making. */
export class CpuClock {
  readonly #start = process.cpuUsage();

  get seconds(): number {
    const { user, system } = process.cpuUsage(this.#start);
    return (user + system) / 1_000_000;
  }
}
