import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FhirServer, startFhirServer } from '../../../testing/src/services/fhir-server.ts'
import { Story } from '../../../console/src/contract/story.ts'
import { type PlayedService, startPlayedService } from '../../../../test/support/played-service.ts'
import { startFarSide } from '../../../testing/src/far-side.ts'
import { type PawlProcesses, preparePawl } from '../../../../test/support/pawl-processes.ts'
import { freePort, type PawlProcess } from '../../../../test/support/spawn-pawl.ts'
import { startTraceCollector, type TraceCollector } from '../../../../test/support/trace-collector.ts'
import { until } from '../../../../test/support/until.ts'

const id = 'pa_req_traced'

let fhir: FhirServer
let service: PlayedService
let pawls: PawlProcesses
let adminPort: number

beforeEach(async () => {
  fhir = await startFhirServer()
  adminPort = await freePort()
  service = await startPlayedService(() => [pawls.url])
  pawls = await preparePawl({
    LOG_LEVEL: 'debug',
    API_BASE_URL: service.url,
    FHIR_BASE_URL: fhir.url,
    LEASE_MS: '60000',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
})
afterEach(async () => {
  await pawls.close()
  await service.close()
  await fhir.close()
})

const startReceiver = (env: Record<string, string> = {}) => pawls.start({ ROLE: 'receiver', ...env })
const startWorker = (env: Record<string, string> = {}) =>
  pawls.start({ ROLE: 'worker', ADMIN_PORT: String(adminPort), ...env })

async function stop(...stopped: PawlProcess[]): Promise<void> {
  expect(await Promise.all(stopped.map((pawl) => pawl.end('SIGTERM')))).toEqual(stopped.map(() => 0))
}

/** Each change is acknowledged before the next one. */
async function change(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    service.change(id)
    await service.quiet()
  }
}

const written = () =>
  until('the chart has it', async () =>
    (await fhir.search('Task')).some(({ businessStatus }) => businessStatus?.text === service.statuses.get(id)),
  )

async function readStory(): Promise<Story> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/api/resources/${id}/story`)
  return Story.parse(await answer.json())
}

/** The lines of a process about the resource. */
function linesOf(pawl: PawlProcess): Record<string, unknown>[] {
  return pawl
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.resource_id === id)
}

describe('a delivery that a receiver stores and a worker in another process brings to the chart', () => {
  let collector: TraceCollector
  beforeEach(async () => {
    collector = await startTraceCollector()
    pawls.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
  })
  afterEach(() => collector.close())

  it('is one trace from its receipt to the write, linked to that of the delivery before', async () => {
    const receiver = await startReceiver({ OTEL_SERVICE_NAME: 'pawl-receiver' })
    await change(2)
    const worker = await startWorker()
    await written()
    await until('it is handled', () => worker.output().includes('"handled"'))
    const story = await readStory()
    await stop(receiver, worker)

    const [before, newest] = story.entries.flatMap((entry) => (entry.kind === 'delivery' ? [entry.traceId] : []))
    const spans = collector.spans.filter(({ traceId }) => traceId === newest)
    const named = (name: string | RegExp) => {
      const found = spans.find((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)))
      if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`)
      return found
    }
    const parentOf = (name: string | RegExp) => spans.find(({ spanId }) => spanId === named(name).parentSpanId)?.name

    const receipt = named('POST /webhooks')
    expect(receipt).toMatchObject({ service: 'pawl-receiver', kind: 2 })
    expect(receipt.parentSpanId).toBeUndefined()
    expect(receipt.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/webhooks',
      'http.response.status_code': 202,
      'pawl.resource.id': id,
    })
    expect(parentOf('commit')).toBe('POST /webhooks')
    expect(parentOf('send pawl.work')).toBe('POST /webhooks')

    const work = named('process pawl.work')
    expect(work).toMatchObject({ service: 'pawl', kind: 5, parentSpanId: receipt.spanId })
    expect(work.links.map(({ traceId }) => traceId)).toEqual([before])
    expect(parentOf('claim')).toBe('process pawl.work')
    expect(parentOf('GET /prior-authorization/{id}')).toBe('process pawl.work')
    expect(parentOf('handle prior-authorization-to-ehr')).toBe('process pawl.work')
    expect(parentOf(/^ehr\./)).toMatch(/^handle .+-to-ehr$/)
    expect(parentOf(/^(POST|PUT) \/Task/)).toMatch(/^ehr\./)
    expect(named(/^(POST|PUT) \/Task/).attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'http.response.status_code': expect.any(Number),
    })
    const receipts = spans.flatMap(({ events }) => events).filter(({ name }) => name === 'wrote')
    expect(receipts.map(({ attributes }) => attributes['pawl.write.type'])).toContain('Task')

    // Nothing of the patient, and no query: searches are by what a patient carries.
    expect(collector.text()).not.toMatch(/patient-1|identifier=|\?/)

    // The log of both processes goes by the same id.
    const traced = [...linesOf(receiver), ...linesOf(worker)].filter((line) => line.trace_id === newest)
    expect(traced.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['delivery', 'claimed', 'wrote', 'handled']))
  })

  it('is told as failed, with the code, where a system does not answer', async () => {
    await startReceiver()
    const worker = await startWorker({ FHIR_BASE_URL: 'http://127.0.0.1:9/fhir' })
    await change(1)
    await until('it failed', () => worker.output().includes('will be retried') || worker.output().includes('parked'))
    const failed = await until('its spans came', () =>
      collector.spans.find(({ name, status }) => name.startsWith('GET /') && status.code === 2),
    )
    expect(failed.attributes).toMatchObject({ 'error.type': 'ECONNREFUSED' })
    const handle = await until('the run came', () =>
      collector.spans.find(({ name }) => name === 'handle prior-authorization-to-ehr'),
    )
    expect(handle.status.code).toBe(2)
    expect(handle.attributes['error.type']).toMatch(/^[a-z_]+$/)
  })
})

describe('a collector that is away', () => {
  it('holds up neither work nor a stop, and is told of in one line, and in one more when it is back', async () => {
    const port = await freePort()
    pawls.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`
    pawls.env.OTEL_EXPORTER_OTLP_TIMEOUT = '1000'
    const pawl = await pawls.start({ ROLE: 'all' })
    const told = (what: string) => pawl.output().split(what).length - 1
    await change(1)
    await written()
    await until('it says so', () => told('traces are lost') > 0)
    await change(2)
    await written()
    const collector = await startTraceCollector(port)
    try {
      await until('traces come', async () => {
        await change(1)
        return collector.spans.length > 0 && told('the collector takes traces again') > 0
      })
      expect([told('traces are lost'), told('the collector takes traces again')]).toEqual([1, 1])
    } finally {
      await collector.close()
    }
    await change(1)
    await stop(pawl)
  })
})

describe('a collector that never answers', () => {
  it('holds up neither work nor a stop', async () => {
    let asked = 0
    const collector = await startFarSide(() => {
      asked += 1
      return 'silence'
    })
    try {
      const pawl = await pawls.start({ ROLE: 'all', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      await change(1)
      await written()
      await until('it is asked', () => asked > 0)
      await stop(pawl)
      expect(pawl.output()).toContain('"stopped"')
    } finally {
      await collector.close()
    }
  })
})

describe('without a collector', () => {
  it('every line from receipt to write carries one id, which the story tells, in two processes', async () => {
    // It tells what a process loaded.
    const script = join(pawls.folder, 'loaded.cjs')
    await writeFile(
      script,
      "process.on('exit', () => console.log('loaded:', Object.keys(require.cache).filter((name) => /opentelemetry.(sdk|exporter)/.test(name)).length))",
    )
    const preload = { NODE_OPTIONS: `--require "${script}"` }
    const receiver = await startReceiver(preload)
    await change(1)
    const failing = await startWorker({ FHIR_BASE_URL: 'http://127.0.0.1:9/fhir' })
    await until('it failed', () => failing.output().includes('"handler failed, will be retried"'))
    await stop(failing)
    const worker = await startWorker(preload)
    await written()
    await until('it is handled', () => worker.output().includes('"handled"'))
    const story = await readStory()
    await stop(receiver, worker)

    const [delivery] = story.entries.flatMap((entry) => (entry.kind === 'delivery' ? [entry] : []))
    const lines = [receiver, failing, worker].flatMap(linesOf)
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['delivery', 'claimed', 'handler failed, will be retried', 'wrote', 'handled']),
    )
    // A name that pawl does not know is logged once, whichever delivery brought it.
    const others = lines.filter(({ trace_id: traceId }) => traceId !== delivery?.traceId)
    expect(others.filter(({ msg }) => !String(msg).startsWith('the service sent a name or code'))).toEqual([])
    // The last that they print, as they end.
    const loaded = () => [receiver, worker].map((pawl) => /loaded: (\d+)/.exec(pawl.output())?.[1])
    await expect.poll(loaded).toEqual(['0', '0'])
  })
})
