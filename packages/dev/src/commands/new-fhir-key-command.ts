import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { algorithms, type SigningAlgorithm } from '@pawl/ehr/fhir/auth/signing-keys'
import { PawlError, systemCodeOf } from '@pawl/base/errors'
import { formatRow, type Print } from '@pawl/console/commands/output'

const newFhirHelp = `
The file holds the private key as a JWK, is readable by you alone (mode 0600), and never overwrites another. Give it to the user that pawl runs as.

To replace a key that is in use, without a pause:
  1. Make the new one, put it behind the old: FHIR_KEY_FILES=old.json,new.json, and restart all processes. Both public keys are served; the old one signs.
  2. Wait until the EHR has fetched the keys again; if it does not by itself, ask for it.
  3. Put the new one in front: FHIR_KEY_FILES=new.json,old.json, and restart. The new one signs. If the EHR refuses it, change back.
  4. Take the old one out: FHIR_KEY_FILES=new.json, restart, and delete its file.

Exits with 0; 1 when the file cannot be written; 2 for wrong options.`

class KeyFileNotWritten extends PawlError {
  readonly code = 'key_file_not_written'
}

/** Adds `keys new-fhir`, which makes a key for authentication to an EHR. */
export function addNewFhirKeyCommand(keys: Command, { print }: { print: Print }): void {
  keys
    .command('new-fhir')
    .description('make a private key for SMART Backend Services, the way that pawl gets tokens from an EHR')
    .addOption(new Option('--algorithm <name>', 'algorithm that the EHR accepts').choices(algorithms).default('ES384'))
    .option('--out <file>', 'where to write it (default: fhir-key-<kid>.json, in this folder)')
    .addHelpText('after', newFhirHelp)
    .action(async ({ algorithm, out }: { algorithm: SigningAlgorithm; out?: string }) => {
      const { createSigningKey } = await import('@pawl/ehr/fhir/auth/create-signing-key')
      const key = await createSigningKey(algorithm)
      const file = out ?? `fhir-key-${key.kid}.json`
      await writeNew(file, `${JSON.stringify(key, null, 2)}\n`)
      print(formatRow('file', `${file}, with the private key: guard it like a password`))
      print(formatRow('kid', key.kid))
      print(formatRow('algorithm', algorithm))
      print('')
      print(`1. Set FHIR_KEY_FILES=${file} and restart; behind the key in use, if there is one (see --help).`)
      print('2. Register https://<host of your webhooks>/.well-known/jwks.json at the EHR as the address of the keys.')
      print('3. Set FHIR_CLIENT_ID to the id that the EHR gives, restart, and try it with pawl check.')
    })
}

/** Throws `KeyFileNotWritten`, also if the file exists. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    const code = systemCodeOf(error) ?? 'unexpected'
    const why = code === 'EEXIST' ? 'The file exists already' : `It cannot be written (${code})`
    throw new KeyFileNotWritten(`No key was made at ${file}. ${why}: name another with --out.`)
  }
}
