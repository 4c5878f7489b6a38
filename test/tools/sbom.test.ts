import { licensesIn, lockedPackages } from '../../tools/supply-chain/licenses.ts';
import { makeSbom, type Sbom } from '../../tools/supply-chain/sbom.ts';

describe('the SBOM', () => {
  let sbom: Sbom;
  let names: string[];
  beforeAll(() => {
    sbom = makeSbom();
    names = sbom.components.map(({ purl }) => decodeURIComponent(purl.slice('pkg:npm/'.length)));
  });

  test('is CycloneDX, of this version', () => {
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'millwright', type: 'application' } },
    });
  });

  test('names all packages of the image, on both platforms, and no others', () => {
    const all = licensesIn(lockedPackages()).packages;
    const wanted = all.map(({ name, version }) => `${name}@${version}`);
    const foreign = /^@swc\/core-(?:darwin|win32|.*-(?:musl|gnueabihf)|linux-(?:ppc64|s390x))/;
    expect(names.toSorted()).toEqual(wanted.filter((name) => !foreign.test(name)).toSorted());
    expect(names).toContainEqual(expect.stringMatching(/^@temporalio\/core-bridge@/));
    expect(names.filter((name) => name.startsWith('jest@'))).toEqual([]);
  });

  test('refers to nothing that it does not name', () => {
    const refs = new Set(sbom.components.map((component) => component['bom-ref']));
    const named = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn);
    expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
    expect(named.length).toBeGreaterThan(300);
  });
});
