/**
 * Numbers from 0 (in) to 1 (out), always the same ones for a seed, and others for the next seed
 * from the first one on.
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // A Weyl sequence whose values are mixed: multiply and fold, twice, so that every bit of the
    // seed reaches every bit.
    state = (state + 0x9e_37_79_b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
