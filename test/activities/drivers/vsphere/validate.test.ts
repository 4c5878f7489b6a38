import { specOf, validateProviderSpec } from '../../../../activities/drivers/vsphere/validate.ts';
import { readAnswer, written, xml } from '../../../../activities/drivers/vsphere/vcenter/xml.ts';
import { aSpec } from './vsphere-world.ts';

describe('a provider spec', () => {
  test('with what Gardener needs is right', () => {
    expect(validateProviderSpec(aSpec)).toEqual([]);
    const tags = { 'kubernetes.io/cluster/shoot': '1', 'kubernetes.io/role/node': '1' };
    expect(validateProviderSpec({ ...aSpec, tags, folder: null })).toEqual([]);
  });

  test.each([
    [{ datastore: '' }, 'providerSpec: either datastoreCluster or datastore field is required'],
    [
      { computeCluster: undefined },
      'providerSpec: either computeCluster or resourcePool or hostSystem field is required',
    ],
    [{ network: undefined }, 'providerSpec.network is missing'],
    [{ templateVM: '' }, 'providerSpec.templateVM: "" is not a non-empty string'],
    [{ numCpus: '2' }, 'providerSpec.numCpus: "2" is not a whole number'],
    [{ region: 'a/b' }, 'providerSpec.region: "a/b" is not a name without slashes'],
    [
      { customization: 'x' },
      'providerSpec.customization: specifications of a vCenter are not possible here, use user data',
    ],
    [
      { tags: { 'mcm.gardener.cloud/cluster': 'shoot' } },
      "providerSpec.tags: tag required of the form 'mcm.gardener.cloud/role=****' or 'kubernetes.io/role/****=1'",
    ],
  ])('with %j says what is wrong', (fields, sentence) => {
    expect(validateProviderSpec({ ...aSpec, ...fields })).toEqual([sentence]);
  });

  test('of no form at all is still read', () => {
    expect(specOf(undefined)).toEqual({});
    expect(specOf('text')).toBeDefined();
  });
});

const envelope = (inner: string): string =>
  `<?xml version="1.0"?><s:Envelope xmlns:s="x"><s:Body>${inner}</s:Body></s:Envelope>`;

describe('XML', () => {
  test('that is written is read as it was', () => {
    const text = 'a <b> & "c" \' \n\t€ 😀 &amp; ]]>';
    const read = readAnswer(envelope(written(xml('a', text, { type: text, 'xsi:type': 'T' }))));
    expect(read).toEqual({
      name: 'a',
      text,
      attributes: { type: text, 'xsi:type': 'T' },
      children: [],
    });
  });

  test('cannot hold characters that XML does not know', () => {
    expect(written(xml('a', 'x\u0000\u0007y'))).toBe('<a>x??y</a>');
  });

  test('that defines entities, is a page or is cut off is none', () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa">]>${envelope('<R>&a;</R>')}`;
    const texts = [bomb, '<html></html>', '', 'text', envelope('<R>').slice(0, -20)];
    expect(texts.map((text) => readAnswer(text)?.name)).toEqual(texts.map(() => undefined));
  });

  test('knows the five entities and numbers, and leaves others as they are', () => {
    const inner = '<R>&lt;&#65;&#x42;&unknown;&#x110000;</R>';
    expect(readAnswer(envelope(inner))?.text).toBe('<AB&unknown;&#x110000;');
  });
});
