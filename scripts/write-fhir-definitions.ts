import { writeFile } from 'node:fs/promises'
import { brotliCompressSync } from 'node:zlib'
import { slimDefinitions } from '../test/foreign/slim-definitions.ts'

/** Writes the definitions of the development environment's FHIR server anew. */
const file = new URL('../packages/testing/src/services/fhir-r4.json.br', import.meta.url)
await writeFile(file, brotliCompressSync(JSON.stringify(slimDefinitions())))
