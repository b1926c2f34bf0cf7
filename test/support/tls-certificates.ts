import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export interface Certificate {
  cert: string
  key: string
  /** Paths of both. */
  certFile: string
  keyFile: string
}

/** An authority of its own, and certificates that it issued: for a server on 127.0.0.1, for one elsewhere, and for a client. */
export interface Certificates {
  ca: Certificate
  server: Certificate
  elsewhere: Certificate
  client: Certificate
  remove(this: void): Promise<void>
}

/** Makes them with openssl. */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-certificates-'))
  const path = (name: string) => join(folder, name)
  const openssl = (...options: string[]) => execute('openssl', options, { cwd: folder })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

  async function read(name: string): Promise<Certificate> {
    const [certFile, keyFile] = [path(`${name}.pem`), path(`${name}.key`)]
    return { certFile, keyFile, cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
  }
  async function issue(name: string, extension: string): Promise<Certificate> {
    await writeFile(path(`${name}.ext`), extension)
    await openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
    await openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-extfile', `${name}.ext`, '-out', `${name}.pem`)
    return read(name)
  }

  await openssl('req', '-x509', ...newKey, '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.pem')
  return {
    ca: await read('ca'),
    server: await issue('server', 'subjectAltName=IP:127.0.0.1,DNS:localhost'),
    elsewhere: await issue('elsewhere', 'subjectAltName=DNS:elsewhere.example'),
    client: await issue('client', 'extendedKeyUsage=clientAuth'),
    remove: () => rm(folder, { recursive: true }),
  }
}
