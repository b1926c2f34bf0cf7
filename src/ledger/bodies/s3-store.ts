import { S3mini } from 's3mini'
import { fetch } from 'undici'
import { systemCodeOf } from '../../errors.ts'
import { isDay } from './body-key.ts'
import { type BodyStore, BodyStoreAway, type BodyStoreSettings } from './body-store.ts'

/** Of one request. */
const timeoutMs = 20_000
/** Keys of one answer, and of one request to delete. */
const pageSize = 1_000

/** Keeps bodies in a bucket of an S3-compatible store, addressed by its path. */
export function createS3Store(settings: Extract<BodyStoreSettings, { kind: 's3' }>): BodyStore {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings
  const s3 = new S3mini({
    accessKeyId,
    secretAccessKey,
    region,
    endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`,
    requestAbortTimeout: timeoutMs,
    // Node's own fails where another part has loaded undici, whose agent it then takes. Of two declarations of one interface the compiler cannot see that they agree.
    fetch: fetch as unknown as typeof globalThis.fetch,
  })
  const prefix = settings.prefix === '' ? '' : `${settings.prefix}/`

  async function listPage(under: string, options: Record<string, string>, cursor?: string) {
    const page = await s3.listObjectsPaged('/', under, pageSize, cursor, options)
    // The library answers so where there is no such bucket.
    if (!page?.objects) throw new BodyStoreAway('The bucket of BODY_STORE does not exist.')
    return { names: page.objects.map(({ Key: name }) => name.slice(prefix.length)), next: page.nextContinuationToken }
  }

  return {
    put: (key, bytes) =>
      orAway(async () => {
        await s3.putObject(prefix + key, bytes)
      }),
    get: (key) =>
      orAway(async () => {
        const bytes = await s3.getObjectArrayBuffer(prefix + key)
        return bytes === null ? undefined : new Uint8Array(bytes)
      }),
    delete: (keys) =>
      orAway(async () => {
        for (let at = 0; at < keys.length; at += pageSize) {
          const deleted = await s3.deleteObjects(keys.slice(at, at + pageSize).map((key) => prefix + key))
          if (deleted.includes(false))
            throw new BodyStoreAway('The store of BODY_STORE did not delete what it was asked to.')
        }
      }),
    days: () =>
      orAway(async () => {
        const days: string[] = []
        for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
          const page = await listPage(prefix, { delimiter: '/' }, cursor)
          days.push(...page.names.map((name) => name.replace(/\/$/, '')).filter(isDay))
          cursor = page.next
        }
        return days
      }),
    list: (day, cursor) =>
      orAway(async () => {
        const { names, next } = await listPage(`${prefix}${day}/`, {}, cursor)
        return { keys: names, cursor: next }
      }),
  }
}

async function orAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BodyStoreAway) throw error
    // Its words may quote keys of access.
    throw new BodyStoreAway(`The store of BODY_STORE cannot be used (${reasonOf(error)}).`)
  }
}

/** A status, a code of S3 such as `AccessDenied`, or the system's name for what went wrong. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unexpected'
  const status = 'status' in error && typeof error.status === 'number' ? `HTTP ${error.status}` : undefined
  const service = 'serviceCode' in error && typeof error.serviceCode === 'string' ? error.serviceCode : undefined
  const said = [status, service].filter((each) => each !== undefined && /^[\w ]{1,60}$/.test(each))
  if (said.length > 0) return said.join(', ')
  if (error.name === 'TimeoutError') return 'no answer in time'
  return systemCodeOf(error) ?? systemCodeOf(error.cause) ?? 'unexpected'
}
