import { Migration } from '@mikro-orm/migrations';

/** What became of jobs, and what is scheduled: for people, beside the queue's own tables. */
export class Migration20261121070000_job_runs extends Migration {
  override up(): void {
    this.addSql(`create sequence job_run_id_seq`);
    // Written by the thousand, read by few, and gone after days: daily partitions, dropped whole.
    this.addSql(`
      create table job_run (
        id bigint not null default nextval('job_run_id_seq'),
        job_id bigint not null,
        task text not null,
        payload json,
        attempt smallint not null,
        max_attempts smallint not null,
        outcome text not null,
        error text,
        worker text not null,
        queued_at timestamptz not null,
        due_at timestamptz not null,
        started_at timestamptz not null,
        duration_ms real not null,
        primary key (id, started_at)
      ) partition by range (started_at)`);
    this.addSql(`create table job_run_default partition of job_run default`);
    this.addSql(`create index job_run_job_idx on job_run (job_id)`);
    this.addSql(`create index job_run_task_idx on job_run (task, id)`);
    this.addSql(`create index job_run_trouble_idx on job_run (id) where outcome <> 'succeeded'`);
    // Rows come in the order of time, so this costs next to nothing and finds the last minutes of millions.
    this.addSql(
      `create index job_run_started_at_idx on job_run using brin (started_at) with (pages_per_range = 32)`,
    );
    this.addSql(`
      create function ensure_job_run_partitions(first_day date, days integer) returns void language plpgsql as $$
      declare
        day date;
      begin
        perform pg_advisory_xact_lock(hashtext('ensure_job_run_partitions'));
        for day in select first_day + n from generate_series(0, days - 1) n loop
          if to_regclass('job_run_' || to_char(day, 'YYYYMMDD')) is null then
            begin
              execute format('create table %I partition of job_run for values from (%L) to (%L)',
                'job_run_' || to_char(day, 'YYYYMMDD'),
                day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
            exception when check_violation then
              raise warning 'job runs of % are in the default partition already and stay there', day;
            end;
          end if;
        end loop;
      end $$`);
    // The schedule as the worker that started last has it; a gateway alone knows no jobs.
    this.addSql(`
      create table cron_job (
        task text primary key,
        schedule text not null,
        max_attempts smallint not null,
        registered_at timestamptz not null
      )`);
    // Told on the topics of a job's task and of all jobs, many to a notification: one may have 8000 bytes, and a queue
    // that does thousands a second must not send thousands.
    this.addSql(`
      create function jobs_are_watched() returns boolean language sql stable as $$
        select exists (select from live_topic
                        where (topic = 'job' or topic like 'job:%') and expires_at > clock_timestamp())
      $$`);
    this.addSql(`
      create function notify_job_changes(in_changes jsonb) returns void language sql as $$
        select notify_live(array['job', 'job:' || told.task], told.changes)
          from (select task, jsonb_agg(change order by place) as changes
                  from (select change, change->>'task' as task, place,
                               (row_number() over (partition by change->>'task' order by place) - 1) / 25 as part
                          from jsonb_array_elements(in_changes) with ordinality given (change, place)) numbered
                 group by task, part) told
      $$`);
  }
}
