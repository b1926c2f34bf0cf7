import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { isInstalled } from '../support/needs.ts'
import { slimDefinitions } from './slim-definitions.ts'

it.skipIf(!isInstalled('test/foreign'))(
  'the FHIR server of the development environment has every definition of R4',
  () => {
    const file = new URL('../../packages/testing/src/services/fhir-r4.json.br', import.meta.url)
    const kept: unknown = JSON.parse(brotliDecompressSync(readFileSync(file)).toString())
    const whole = slimDefinitions()
    expect(kept).toEqual(JSON.parse(JSON.stringify(whole)))
    expect([whole.types.length, whole.resources.length, whole.parameters.length]).toEqual([63, 150, 1378])
  },
)
