import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BodyStore, BodyStoreAway, type BodyStoreSettings } from '../../../src/ledger/bodies/body-store.ts'
import { openBodyStore } from '../../../src/ledger/bodies/open-body-store.ts'
import { startS3, type TestS3 } from '../../support/s3.ts'
import { freePort } from '../../support/spawn-pawl.ts'

const key = '2026-11-22/1-first'

/** What every store of bodies promises. */
function describeStore(settings: () => BodyStoreSettings) {
  let store: BodyStore
  beforeEach(async () => {
    store = await openBodyStore(settings())
  })

  it('gives back the bytes that were put, whatever they are', async () => {
    const bytes = randomBytes(100_000)
    await store.put(key, bytes)
    expect(Buffer.from((await store.get(key)) ?? []).equals(bytes)).toBe(true)
  })

  it('puts others in their place under the same key', async () => {
    await store.put(key, Buffer.from('one'))
    await store.put(key, Buffer.from('two'))
    expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe('two')
  })

  it('says of a key that it does not have that there is none', async () => {
    expect(await store.get('2026-11-22/2-never')).toBeUndefined()
    expect(await store.get('1999-01-01/2-never')).toBeUndefined()
  })

  it('deletes many at once, and takes those that are gone already', async () => {
    const keys = ['2026-11-20/1-a', '2026-11-20/2-b', '2026-11-21/3-c']
    for (const each of keys) await store.put(each, Buffer.from(each))
    await store.delete([...keys, '2026-11-20/9-never'])
    await store.delete(keys)
    for (const each of keys) expect(await store.get(each)).toBeUndefined()
    await store.delete([])
  })

  it('lists its days, and the keys of a day alone', async () => {
    const keys = ['2026-10-01/1-a', '2026-10-01/10-b', '2026-10-02/2-c']
    for (const each of keys) await store.put(each, Buffer.from(each))
    expect(await store.days()).toEqual(expect.arrayContaining(['2026-10-01', '2026-10-02']))
    expect((await store.list('2026-10-01')).keys.toSorted()).toEqual(keys.slice(0, 2).toSorted())
    expect(await store.list('1999-01-01')).toEqual({ keys: [], cursor: undefined })
  })
}

describe('a store of bodies in a folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-bodies-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const settings = () => ({ kind: 'folder', path: join(folder, 'bodies') }) as const

  describeStore(settings)

  it('is for its owner alone, and leaves nothing unfinished behind', async () => {
    await (await openBodyStore(settings())).put(key, Buffer.from('sealed'))
    const modes = await Promise.all(
      ['bodies', 'bodies/2026-11-22', `bodies/${key}`].map(
        async (path) => (await stat(join(folder, path))).mode & 0o777,
      ),
    )
    expect(modes).toEqual([0o700, 0o700, 0o600])
    expect(await readdir(join(folder, 'bodies/2026-11-22'))).toEqual(['1-first'])
  })

  it('lists a day of many bodies page by page, each once', async () => {
    const store = await openBodyStore(settings())
    const keys = Array.from({ length: 1_005 }, (_, n) => `2026-09-01/${n}-many`)
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(keys.slice(at, at + 50).map((each) => store.put(each, Buffer.from('x'))))
    const listed: string[] = []
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await store.list('2026-09-01', cursor)
      listed.push(...page.keys)
      cursor = page.cursor
    }
    expect(listed.toSorted()).toEqual(keys.toSorted())
    await store.delete(keys)
    expect((await store.list('2026-09-01')).keys).toEqual([])
  })

  it('touches nothing outside its folder', async () => {
    await writeFile(join(folder, 'other'), 'mine')
    const store = await openBodyStore(settings())
    for (const path of ['../other', '2026-11-22/../../other', join(folder, 'other')]) {
      await expect(store.get(path)).rejects.toThrow(BodyStoreAway)
      await expect(store.put(path, Buffer.from('x'))).rejects.toThrow(BodyStoreAway)
      await expect(store.delete([path])).rejects.toThrow(BodyStoreAway)
    }
  })

  it('says by a code why it cannot be used, and names no path', async () => {
    await mkdir(join(folder, 'full'))
    const store = await openBodyStore({ kind: 'folder', path: join(folder, 'gone', 'bodies') })
    await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(
      new BodyStoreAway('The folder of BODY_STORE cannot be used (ENOENT).'),
    )
  })
})

describe('a store of bodies in an S3-compatible store', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startS3()
  })
  afterAll(() => s3.close())

  describeStore(() => s3.settings)

  it('keeps under its prefix, apart from another', async () => {
    const one = await openBodyStore(s3.settings)
    const other = await openBodyStore({ ...s3.settings, prefix: 'pawl/other' })
    await one.put(key, Buffer.from('one'))
    expect(await other.get(key)).toBeUndefined()
    expect(await other.days()).toEqual([])
    const whole = await openBodyStore({ ...s3.settings, prefix: '' })
    await whole.put(key, Buffer.from('whole'))
    expect(await whole.days()).toEqual(['2026-11-22'])
  })

  it('says by a code that it was refused, and repeats no key of access', async () => {
    const store = await openBodyStore({ ...s3.settings, accessKeyId: 'NOBODYSKEYOFACCESS' })
    await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(
      new BodyStoreAway('The store of BODY_STORE cannot be used (HTTP 403, InvalidAccessKeyId).'),
    )
  })

  it('says that its bucket is missing', async () => {
    const store = await openBodyStore({ ...s3.settings, bucket: 'nowhere' })
    await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('NoSuchBucket')
    await expect(store.days()).rejects.toThrow('The bucket of BODY_STORE does not exist.')
  })

  it('says that nobody answers', async () => {
    const store = await openBodyStore({ ...s3.settings, endpoint: `http://127.0.0.1:${await freePort()}` })
    for (const ask of [() => store.get(key), () => store.put(key, Buffer.from('x')), store.days])
      await expect(ask()).rejects.toThrow(new BodyStoreAway('The store of BODY_STORE cannot be used (ECONNREFUSED).'))
  })
})
