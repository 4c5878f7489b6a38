import type { LineFault } from '../lines.ts';

/** `faults` and `warnings`: in the order of their lines. */
export interface Checked {
  /** For people, such as `cloud-config, packed by gzip`. */
  kind: string;
  faults: LineFault[];
  /** A machine starts all the same. */
  warnings: LineFault[];
}
