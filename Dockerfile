# A small image of pawl: compiled JavaScript and what it needs to run, nothing to build with.
# Node 24: Node 20, the oldest that pawl works on, gets no security fixes any more. Take a newer digest when the image gets fixes.
ARG NODE_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
# From Node 22 on the SQLite driver comes compiled.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/join-packages.mjs scripts/bundled-licences.mjs scripts/
COPY src src
COPY templates templates
# With the packages that only some settings need.
RUN npm run build && npm run keep-optional && npm prune --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The console serves it.
COPY docs/runbook.md docs/runbook.md
# The one folder that pawl writes to, and only where the ledger is a file.
RUN mkdir /data && chown node:node /data
VOLUME /data
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=file:/data/pawl.db
USER node
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["node", "dist/src/cli/healthcheck.js"]
# node as the first process gets SIGTERM itself, and pawl answers it.
CMD ["node", "dist/src/main.js"]
