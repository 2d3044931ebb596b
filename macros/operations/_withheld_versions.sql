{% macro _withheld_versions(declared, state, entries) %}
    {#- The versions that the newest rollback has undone of which files are still withheld; none if there are no such files. -#}
    {% set ledger = ref("snapshot_versions") %}
    {% set withheld_sql %}
        select distinct files.version
        from (
            select version, inline(files) as (path, etag)
            from {{ ledger }}
            where
                {{ table_filter(declared) }}
                and generation >= {{ state.head.generation }}
        ) as files
        left semi join (
            select inline(withheld) as (path, etag) from {{ ledger }} where {{ version_filter(declared, state.newest) }}
        ) as withheld
            on files.path = withheld.path and files.etag = withheld.etag
    {% endset %}
    {% set withheld = query_rows(withheld_sql) | map(attribute="version") | list %}
    {% for entry in entries.values() | list | reverse if withheld and entry.action in ["rollback", "rollback_to"] %}
        {% set undone = applied_versions(entries, entry.version - 1) | reject("in", applied_versions(entries, entry.version)) %}
        {% set found = undone | select("in", withheld) | sort %}
        {% if found %}{% do return(found) %}{% endif %}
    {% endfor %}
    {% do return([]) %}
{% endmacro %}
