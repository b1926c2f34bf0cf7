import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSigningKey } from '../../packages/ehr/src/fhir/auth/create-signing-key.ts'
import {
  readSigningKeys,
  type SigningAlgorithm,
  type SigningKey,
} from '../../packages/ehr/src/fhir/auth/signing-keys.ts'

/** A folder of key files. */
export interface KeyFolder {
  path: string
  /** Makes a key, as `pawl keys new-fhir` does, and reads it back. */
  make(algorithm: SigningAlgorithm): Promise<{ file: string; key: SigningKey }>
  /** Writes a file of this text or JSON. */
  write(name: string, content: unknown): Promise<string>
  remove(): Promise<void>
}

/** A temporary folder. */
export async function createKeyFolder(): Promise<KeyFolder> {
  const path = await mkdtemp(join(tmpdir(), 'pawl-keys-'))
  async function write(name: string, content: unknown): Promise<string> {
    const file = join(path, name)
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }
  return {
    path,
    write,
    async make(algorithm) {
      const jwk = await createSigningKey(algorithm)
      const file = await write(`${jwk.kid}.json`, jwk)
      const [key] = readSigningKeys([file])
      if (key === undefined) throw new Error('a file gives a key')
      return { file, key }
    },
    remove: () => rm(path, { recursive: true }),
  }
}
