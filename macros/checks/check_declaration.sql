{% macro check_declaration(declared, plan) %}
    {% set problems = dms_snapshots.declaration_problems(declared, plan) %}
    {% if problems %}{% do dms_snapshots.fail_with(problems) %}{% endif %}
{% endmacro %}


{% macro declaration_problems(declared, plan) %}
    {% if not plan.current or plan.current.fingerprint == dms_snapshots.fingerprint(
        dms_snapshots.declared_facts(declared)
    ) %}
        {% do return([]) %}
    {% endif %}
    {% set problems, relations = [], [
        dms_snapshots.staging_relation(declared), dms_snapshots.named_relation(declared.table_name ~ "_snapshot")
    ] %}
    {% for one in relations if load_relation(one) is not none %}
        {% do problems.append(
            dms_snapshots.sync_columns(one, declared.columns, declared.label, alters=false)
        ) if not problems | select | list %}
    {% endfor %}
    {% if plan.current.layout != dms_snapshots.layout(declared) and not plan.full_refresh %}
        {% do problems.append(dms_snapshots.error_text(
            "E402",
            declared.label,
            "the declaration (history, partition_date, partition_granularity) says: " ~ dms_snapshots.layout(declared)
            ~ "; it was published as: " ~ plan.current.layout,
            none,
            "Declare it as before, or repartition it: "
            ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
            ~ ". Readers then see the new state only; the files of earlier dates stay until vacuum."
        )) %}
    {% endif %}
    {% set is_new_load = plan.action == "build" and plan.base and plan.generation > plan.base.generation %}
    {% if plan.base and not plan.base.has_no_files and not is_new_load %}
        {% do problems.append(dms_snapshots.check_declared_since(
            declared, dms_snapshots.whole_versions(declared, plan).base, "build_on", raises=false
        )) %}
    {% endif %}
    {% do return(problems | select | list) %}
{% endmacro %}


{% macro check_declared_since(
    declared, manifest, use, fingerprints=none, of_loads=(), since=none, raises=true
) %}
    {% set now, declarations = dms_snapshots.declared_facts(declared), manifest.declarations %}
    {% set applied = fromjson(declarations[manifest.fingerprint]) if manifest.fingerprint in declarations else none %}
    {% for one in fingerprints or [manifest.fingerprint] if one != dms_snapshots.fingerprint(now)
        and one in declarations %}
        {% set changes = dms_snapshots.declaration_changes(
            fromjson(declarations[one]), now, use, one in of_loads, applied, since
        ) %}
        {% set errors = changes | selectattr("severity", "equalto", "error") | map(attribute="message") | list %}
        {% if errors %}
            {% set problem = dms_snapshots.error_text(
                "E403",
                declared.label,
                "version " ~ manifest.version ~ " was made under another declaration: " ~ errors | join("; "),
                none,
                "Declare it as it was then. If columns were not renamed, declare both; a renamed one can keep its "
                ~ "name, with the new one in renamed_from. Or build it again from the files of DMS: "
                ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
            ) %}
            {% if not raises %}{% do return(problem) %}{% endif %}
            {% do dms_snapshots.fail_with([problem]) %}
        {% endif %}
        {% for change in changes if change.severity == "warning" %}
            {% do dms_snapshots.warn_of_table(
                declared,
                change.message ~ " (since version " ~ manifest.version ~ ")",
                "To read what the files have, build the table again: "
                ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}


{% macro check_full_history(declared, job, base) %}
    {% if not base or not (job.needs_earlier or job.taken) %}{% do return(none) %}{% endif %}
    {% set staged = base.staged | map(attribute="fingerprint") | unique | list %}
    {% do dms_snapshots.check_declared_since(
        declared, base, "full_history", staged, dms_snapshots._staged_of_loads(declared, job, base, staged),
        dms_snapshots.columns_since(
            dms_snapshots.staged_facts(base) | map(attribute="facts") | list, dms_snapshots.declared_facts(declared)
        )
    ) %}
{% endmacro %}


{% macro _staged_of_loads(declared, job, base, fingerprints) %}
    {% set now, differing = dms_snapshots.declared_facts(declared), [] %}
    {% for one in fingerprints if one in base.declarations %}
        {% set then = fromjson(base.declarations[one]) %}
        {% if dms_snapshots.declaration_changes(then, now, "full_history") != dms_snapshots.declaration_changes(
            then, now, "full_history", true
        ) %}
            {% do differing.append(one) %}
        {% endif %}
    {% endfor %}
    {% if not differing %}{% do return([]) %}{% endif %}
    {% set of_changes = dms_snapshots.query_rows(
        "select distinct fingerprint from (" ~ job.files_sql ~ ") where kind = 'cdc'"
    ) | map(attribute="fingerprint") | list %}
    {% do return(differing | reject("in", of_changes) | list) %}
{% endmacro %}
