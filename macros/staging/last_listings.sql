{% macro last_listings(declared) %}
    {#-
        By folder of the table, as it is declared now, the run that has listed it last for this run date; empty
        if none has. One that found something and died before adding it to the index has listed nothing.
    -#}
    {% set folders = [declared.path, declared.transaction_path] | select | list %}
    {% set last = dict.fromkeys(folders, "") %}
    {% set runs = differing_folder(log_location("dms_files")) %}
    {% if missing_folders([runs]) %}{% do return(last) %}{% endif %}
    {#- The view is that of all threads of a session, which dms_files has left by now. -#}
    {% do look_for_differing_files(runs ~ "/*") %}
    {% set added = list_partitions(model_relation("dms_files"), {"run_date": run_date()}) | map(attribute="version") | list %}
    {% set listings = query_rows(
        "select path, max(found_by) as run from (select *, bool_or(difference not in ('listed', 'empty')) over (partition by found_by) as has_found"
        ~ " from dms_compared_files) where difference in ('listed', 'empty') and " ~ table_filter(declared)
        ~ " and (not has_found or found_by in ('" ~ added | join("', '") ~ "')) group by path"
    ) %}
    {% for folder in folders %}
        {#- Without slashes: a listing gives the root of a bucket one more than the declaration. -#}
        {% for listing in listings if listing.path | trim("/") == absolute_path(folder) | trim("/") %}
            {% do last.update({folder: listing.run}) %}
        {% endfor %}
    {% endfor %}
    {% do return(last) %}
{% endmacro %}
