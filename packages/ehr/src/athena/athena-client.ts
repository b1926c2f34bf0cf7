import { z } from 'zod'
import { parseJson } from '@pawl/base/parse-json'
import { type Answer, exchange, type ExchangeDeps, type ExchangeRequest, type Verdict } from '@pawl/connector/exchange'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { createHeldToken } from '../fhir/auth/held-token.ts'
import { fetchToken } from '../fhir/auth/request-token.ts'
import { TokenFailed } from '../fhir/auth/token-errors.ts'
import type { TokenProvider } from '../fhir/auth/token-provider.ts'
import type { ChartRun } from '../fhir/chart-client.ts'
import type { DocumentClass } from './settings.ts'

export interface AthenaAccess {
  /** Without a slash at its end. */
  baseUrl: string
  practiceId: string
  clientId: string
  clientSecret: string
  departmentId: string
  documentClass: DocumentClass
}

/** A document to file. */
export interface NewDocument {
  subclass: string
  title: string
  /** By which a document is found again whose answer was lost. */
  mark: string
  /** The day of its content, as YYYY-MM-DD. */
  day: string | undefined
  isClosed: boolean
  pdf: Uint8Array
}

/** athenaOne refuses a token. Affects the whole chart: work waits for it, and none is parked. */
export class AthenaTokenRefused extends TokenFailed {
  readonly code = 'athena_token_refused'
  override readonly httpStatus: number

  constructor(httpStatus: number) {
    super(
      `athenaOne refuses a token (HTTP ${httpStatus}). Check ATHENA_CLIENT_ID and ATHENA_CLIENT_SECRET, and that the client belongs to this address: preview and production have clients of their own. All work for it waits.`,
    )
    this.httpStatus = httpStatus
  }
}

/** Bearer tokens by client id and secret (OAuth 2.0, client_credentials), for athenaOne's own interface. */
export function createAthenaTokens(
  { baseUrl, clientId, clientSecret }: AthenaAccess,
  deps: ExchangeDeps,
): TokenProvider {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const ask = () =>
    fetchToken(deps, `${baseUrl}/oauth2/v1/token`, {
      form: { grant_type: 'client_credentials', scope: 'athena/service/Athenanet.MDP.*' },
      headers: { authorization: `Basic ${basic}` },
      refused: (httpStatus) => new AthenaTokenRefused(httpStatus),
    })
  return createHeldToken(ask, deps.clock)
}

/** The calls of athenaOne's interface that pawl uses, for one run. All throw `EhrWriteFailed` and the errors of tokens. */
export interface AthenaClient {
  /** The patient's birth date as YYYY-MM-DD, as far as it is known; undefined without such a patient. */
  patient(this: void, patientId: string): Promise<{ birthDate: string | undefined } | undefined>
  /** Whether the practice has the department. */
  hasDepartment(this: void): Promise<boolean>
  /** The id of the patient's document with this mark that is not deleted, if any. */
  find(this: void, patientId: string, mark: string): Promise<string | undefined>
  /** Files a document, and resolves with its id. */
  add(this: void, patientId: string, document: NewDocument): Promise<string>
  /** Deletes a document, or finds it gone; false if athenaOne refuses that for good. */
  remove(this: void, patientId: string, id: string): Promise<boolean>
}

const Id = z.union([z.string().regex(/^\d+$/), z.int().positive()]).transform(String)
const Patients = z.tuple([z.looseObject({ dob: z.string().optional() })]).rest(z.unknown())
const Page = z.looseObject({ next: z.string().optional() })
const Listed = z.looseObject({
  status: z.string().optional(),
  originalfilename: z.string().optional(),
  internalnote: z.string().optional(),
})
const Failure = z.looseObject({ success: z.literal([false, 'false']) })
const Refusal = z.looseObject({ missingfields: z.array(z.string()).optional() })

/** Names of the lists and of the ids, by class. */
const names = {
  clinicaldocument: { list: 'clinicaldocuments', id: 'clinicaldocumentid' },
  admin: { list: 'admins', id: 'adminid' },
} as const

/** Pages of one patient's list, against endless paging. */
const maxPages = 100
/** As athenaOne allows. */
const maxNameLength = 200

export function createAthenaClient(
  { baseUrl, practiceId, departmentId, documentClass }: AthenaAccess,
  tokens: TokenProvider,
  deps: ExchangeDeps,
  run: ChartRun,
): AthenaClient {
  const base = `${baseUrl}/v1/${practiceId}`
  const { list, id: idName } = names[documentClass]

  /** Resolves with an answer of 2xx, or with a 404 of the interface itself. */
  async function send(action: string, path: string, request: Omit<ExchangeRequest, 'headers'>): Promise<Answer> {
    const traced = { ...request, template: templateOf(path), read: verdictOn }
    const form = request.body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }
    const ask = (token = '') =>
      exchange(deps, run, `${base}${path}`, {
        ...traced,
        headers: { accept: 'application/json', authorization: `Bearer ${token}`, ...form },
      })
    const token = await tokens.token(run.signal)
    let answer = await ask(token)
    if (answer.status === 401 && token !== undefined) {
      // The token may have been revoked early: a new one may work.
      tokens.refused(token)
      const next = await tokens.token(run.signal)
      if (next !== token) answer = await ask(next)
    }
    if (answer.ok || isAbsent(answer.status ?? 0, answer.text)) return answer
    const missing = Refusal.safeParse(parseJson(answer.text)).data?.missingfields?.filter((name) =>
      /^[a-z]+$/.test(name),
    )
    const named = missing === undefined || missing.length === 0 ? [] : [`it asks for ${missing.join(', ')}`]
    throw failed(action, { ...answer, reason: [answer.reason, ...named].join('; ') })
  }

  function failed(action: string, { reason, ...verdict }: Verdict & { status?: number; request: string }) {
    return new EhrWriteFailed({
      resourceType: documentClass,
      resourceId: run.resourceId,
      action: `${action} at athenaOne`,
      reason,
      ...verdict,
    })
  }

  function unreadable(action: string, answer: Answer): EhrWriteFailed {
    return failed(action, {
      reason: `HTTP ${answer.status} with an answer that says nothing of it`,
      retry: answer.status === 404 ? 'never' : 'backoff',
      isOutage: false,
      mayBeOutage: answer.status === 404,
      ...(answer.status !== undefined && { status: answer.status }),
      request: documentClass,
    })
  }

  function idOf(action: string, answer: Answer, said: unknown): string {
    const { data } = z.looseObject({ [idName]: Id }).safeParse(said)
    const id = data?.[idName]
    if (!answer.ok || typeof id !== 'string') throw unreadable(action, answer)
    return id
  }

  const ofPatient = (patientId: string) => `/patients/${patientId}/documents/${documentClass}`

  return {
    async patient(patientId) {
      const action = 'read the patient'
      const answer = await send(action, `/patients/${patientId}`, { method: 'GET' })
      if (!answer.ok) return undefined
      const { data } = Patients.safeParse(parseJson(answer.text))
      if (data === undefined) throw unreadable(action, answer)
      const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(data[0].dob ?? '') ?? []
      return { birthDate: year === undefined ? undefined : `${year}-${month}-${day}` }
    },
    async hasDepartment() {
      return (await send('read the department', `/departments/${departmentId}`, { method: 'GET' })).ok
    },
    async find(patientId, mark) {
      const action = 'list the documents'
      let path: string | undefined = `${ofPatient(patientId)}?departmentid=${departmentId}&showmetadata=true`
      for (let pages = 0; path !== undefined && pages < maxPages; pages += 1) {
        const answer: Answer = await send(action, path, { method: 'GET' })
        const page = Page.safeParse(parseJson(answer.text)).data
        const documents = z.array(Listed).safeParse(page?.[list]).data
        // Taken for empty, the document would be filed a second time.
        if (page === undefined || documents === undefined) throw unreadable(action, answer)
        const found = documents.find(
          ({ status, originalfilename = '', internalnote = '' }) =>
            status !== 'DELETED' && (originalfilename.includes(mark) || internalnote.includes(mark)),
        )
        if (found !== undefined) return idOf(action, answer, found)
        path = page.next?.replace(/^\/v1\/\d+(?=\/)/, '')
        if (path !== undefined && !path.startsWith(`${ofPatient(patientId)}?`)) throw unreadable(action, answer)
      }
      return undefined
    },
    async add(patientId, { subclass, title, mark, day, isClosed, pdf }) {
      const action = 'file a document'
      const [year, month, dayOfMonth] = day?.split('-') ?? []
      const form = new URLSearchParams({
        departmentid: departmentId,
        documentsubclass: subclass,
        attachmentcontents: Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64'),
        attachmenttype: 'PDF',
        originalfilename: `${fileNameOf(title, maxNameLength - mark.length - 1)} ${mark}`,
        internalnote: `${title} (${mark})`,
        autoclose: String(isClosed),
        ...(year !== undefined && {
          [documentClass === 'admin' ? 'documentdate' : 'observationdate']: `${month}/${dayOfMonth}/${year}`,
        }),
      })
      const answer = await send(action, ofPatient(patientId), { method: 'POST', body: form.toString() })
      const said = parseJson(answer.text)
      return idOf(action, answer, Array.isArray(said) ? said[0] : said)
    },
    async remove(patientId, id) {
      try {
        await send('delete a document', `${ofPatient(patientId)}/${id}`, { method: 'DELETE' })
        return true
      } catch (error) {
        if (error instanceof EhrWriteFailed && error.retry === 'never') return false
        throw error
      }
    },
  }
}

/** athenaOne may say within a 200 that it did nothing. */
function verdictOn(status: number, text: string): Verdict | 'answered' | undefined {
  if (isAbsent(status, text)) return 'answered'
  if (Failure.safeParse(parseJson(text)).success && status < 300)
    return { reason: `HTTP ${status} that says it failed`, retry: 'never', isOutage: false, mayBeOutage: false }
  return undefined
}

/** Only a 404 in JSON counts: the gateway before the interface answers with a bare sentence. */
function isAbsent(status: number, text: string): boolean {
  return status === 404 && typeof parseJson(text) === 'object'
}

/** The path without query and ids. */
function templateOf(path: string): string {
  return path.split('?', 1)[0]?.replaceAll(/\/\d+/g, '/{id}') ?? path
}

/** A name that every file system takes. */
function fileNameOf(title: string, maxLength: number): string {
  return title
    .replaceAll(/[^\p{L}\p{N} .,_-]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, maxLength)
}
