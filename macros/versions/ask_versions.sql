{% macro ask_versions(act, job) %}
    {% set has_log = job.get("has_log", true) %}
    {#- Before the first run there may be no schema to ask where the version log is. -#}
    {% set job = dict(
        job, act=act, root=dms_snapshots.version_log() if has_log else "", release=dms_snapshots.package_version()
    ) %}
    {% set view, answers = "dms_versions_" ~ act ~ "_" ~ local_md5(tojson(job))[:12], {} %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " (label string, content string) using dms_versions options (job "
        ~ dms_snapshots.sql_string(tojson(job)) ~ ")"
    ) %}
    {% for row in run_query("select label, content, current_timezone() as time_zone from " ~ view).rows %}
        {% do dms_snapshots.check_time_zone(row["time_zone"]) %}
        {% do answers.update({row["label"]: fromjson(row["content"])}) %}
    {% endfor %}
    {% do return(answers) %}
{% endmacro %}


{% macro read_versions(wanted, recorded=false, probes=false) %}
    {% set found, has_log = {}, probes or dms_snapshots.log_exists("snapshot_versions") %}
    {% set job = {"wanted": wanted, "recorded": recorded, "probes": probes, "has_log": has_log} %}
    {% for label, said in dms_snapshots.ask_versions("read", job).items() %}
        {% for name in ["manifests", "recorded"] if name in said %}
            {% set by_number = {} %}
            {% for number, one in said[name].items() %}{% do by_number.update({number | int: one}) %}{% endfor %}
            {% do said.update({name: by_number}) %}
        {% endfor %}
        {% do found.update({label: said}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro versions_of(declared, wanted={}, recorded=false) %}
    {% set said = dms_snapshots.read_versions({declared.label: wanted}, recorded)[declared.label] %}
    {% if said.error %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
    {% do return(said) %}
{% endmacro %}


{% macro version_log() %}
    {% do return(dms_snapshots.log_location("snapshot_versions").rsplit("/", 1)[0] ~ "/version_log") %}
{% endmacro %}
